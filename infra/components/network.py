"""Isolated subnets: a route to the stage's bucket, and no other one out.

An interface endpoint costs about $7 a month and zone, a NAT gateway about $33; the gateway endpoint
of S3 costs nothing. There is no route to the internet, so a rule that allows port 443 to anywhere
allows S3 only.
"""

from typing import Final

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from constructs import Construct

POSTGRES: Final = ec2.Port.tcp(5432)
HTTPS: Final = ec2.Port.tcp(443)


class Network(Construct):
    """Two zones, and one security group for each promise that a function's network makes."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        bucket: s3.IBucket,
        log_retention: logs.RetentionDays,
        address_range: str,
    ) -> None:
        super().__init__(scope, id_)
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr(address_range),
            max_azs=2,
            nat_gateways=0,
            # CDK's way to empty the default group is a Lambda function; nothing here uses it.
            restrict_default_security_group=False,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="Isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24
                )
            ],
        )
        endpoint = self.vpc.add_gateway_endpoint(
            "Objects", service=ec2.GatewayVpcEndpointAwsService.S3
        )
        endpoint.add_to_policy(
            iam.PolicyStatement(
                principals=[iam.StarPrincipal()],
                actions=["s3:GetObject*", "s3:PutObject", "s3:DeleteObject*", "s3:ListBucket*"],
                resources=[bucket.bucket_arn, bucket.arn_for_objects("*")],
                conditions={"StringEquals": {"aws:PrincipalAccount": Stack.of(self).account}},
            )
        )
        self._log_refused_traffic(log_retention)
        self.database = self._group("Database", "The database; lets in its clients only")
        self.clients = self._group("Clients", "Functions of the database side")
        self.sandbox = self._group("Sandbox", "Functions that parse foreign files")
        self.database.add_ingress_rule(self.clients, POSTGRES, "from the database side")
        self.clients.add_egress_rule(self.database, POSTGRES, "to the database")
        for group in (self.clients, self.sandbox):
            group.add_egress_rule(ec2.Peer.any_ipv4(), HTTPS, "to S3, the only route there is")

    def _group(self, id_: str, description: str) -> ec2.SecurityGroup:
        return ec2.SecurityGroup(
            self, id_, vpc=self.vpc, description=description, allow_all_outbound=False
        )

    def _log_refused_traffic(self, retention: logs.RetentionDays) -> None:
        group = logs.LogGroup(
            self, "Traffic", retention=retention, removal_policy=RemovalPolicy.DESTROY
        )
        self.vpc.add_flow_log(
            "Refused",
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(group),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )
