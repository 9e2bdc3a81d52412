"""Isolated subnets: a route to the stage's bucket, and no other one out.

A NAT gateway and an interface endpoint cost something each month; the gateway endpoint of S3 costs
nothing. There is no route to the internet, so a rule that allows port 443 to anywhere allows S3
only.
"""

from typing import Final

from aws_cdk import Fn, RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.components.trust import for_this_account
from infra.config import Options, split

POSTGRES: Final = ec2.Port.tcp(5432)
HTTPS: Final = ec2.Port.tcp(443)
TEXTRACT: Final = "textract:DetectDocumentText"
"""The one thing that is asked of Textract; it knows no resources."""


class Network(Construct):
    """Two zones, and one security group for each promise that a function's network makes.

    In a network of the operator's own, whose routes may lead anywhere, the groups let functions
    reach the addresses of S3 only.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        bucket: s3.IBucket,
        log_retention: logs.RetentionDays,
        options: Options,
    ) -> None:
        super().__init__(scope, id_)
        self._bucket = bucket
        if options.vpc_id:
            self._move_in(options)
        else:
            self._make(options)
            self._log_refused_traffic(log_retention)
        self.database = self._group("Database", "The database; lets in its clients only")
        self.clients = self._group("Clients", "Functions of the database side")
        self.sandbox = self._group("Sandbox", "Functions that parse foreign files")
        recognition = self._add_textract() if options.has_textract else None
        self.database.add_ingress_rule(self.clients, POSTGRES, "from the database side")
        self.clients.add_egress_rule(self.database, POSTGRES, "to the database")
        for group in (self.clients, self.sandbox):
            if options.vpc_id:
                is_sandbox = group is self.sandbox
                _lead_to(group, options.s3_prefix_list, recognition if is_sandbox else None)
            else:
                group.add_egress_rule(ec2.Peer.any_ipv4(), HTTPS, "to S3, the only route there is")

    def _make(self, options: Options) -> None:
        self.vpc: ec2.IVpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr(options.address_range),
            nat_gateways=0,
            # CDK's way to empty the default group is a Lambda function; nothing here uses it.
            restrict_default_security_group=False,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="Isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24
                )
            ],
            **(
                {"availability_zones": list(split(options.zones))}
                if options.zones
                else {"max_azs": 2}
            ),
        )
        self.subnets = ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
        self._add_endpoint()

    def _move_in(self, options: Options) -> None:
        """Use what is there. Nothing is looked up: a synthesis needs no credentials."""
        subnet_ids = split(options.subnet_ids)
        self.vpc = ec2.Vpc.from_vpc_attributes(
            self,
            "Vpc",
            vpc_id=options.vpc_id,
            # Which zones they are in is asked by nothing here, and looked at by `deploy-check`.
            availability_zones=[
                Fn.select(number, Fn.get_azs()) for number in range(len(subnet_ids))
            ],
            isolated_subnet_ids=list(subnet_ids),
        )
        self.subnets = ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
        if tables := split(options.route_table_ids):
            routed = [
                ec2.Subnet.from_subnet_attributes(
                    self, f"Routed{number}", subnet_id=subnet_ids[0], route_table_id=table
                )
                for number, table in enumerate(tables)
            ]
            self._add_endpoint(ec2.SubnetSelection(subnets=routed))

    def _add_endpoint(self, *subnets: ec2.SubnetSelection) -> None:
        endpoint = self.vpc.add_gateway_endpoint(
            "Objects",
            service=ec2.GatewayVpcEndpointAwsService.S3,
            subnets=list(subnets) or None,
        )
        endpoint.add_to_policy(
            iam.PolicyStatement(
                principals=[iam.StarPrincipal()],
                actions=["s3:GetObject*", "s3:PutObject", "s3:DeleteObject*", "s3:ListBucket*"],
                resources=[self._bucket.bucket_arn, self._bucket.arn_for_objects("*")],
                conditions={"StringEquals": {"aws:PrincipalAccount": Stack.of(self).account}},
            )
        )

    def _add_textract(self) -> ec2.SecurityGroup:
        """Let what recognises words reach Textract by an endpoint; there is no other way out."""
        group = self._group("Recognition", "The endpoint of Textract; lets in the sandbox only")
        group.add_ingress_rule(self.sandbox, HTTPS, "from functions that parse foreign files")
        endpoint = self.vpc.add_interface_endpoint(
            "Textract",
            service=ec2.InterfaceVpcEndpointAwsService.TEXTRACT,
            subnets=self.subnets,
            security_groups=[group],
            open=False,
        )
        endpoint.add_to_policy(
            iam.PolicyStatement(
                principals=[iam.StarPrincipal()],
                actions=[TEXTRACT],
                resources=["*"],
                conditions={"StringEquals": {"aws:PrincipalAccount": Stack.of(self).account}},
            )
        )
        return group

    def _group(self, id_: str, description: str) -> ec2.SecurityGroup:
        return ec2.SecurityGroup(
            self, id_, vpc=self.vpc, description=description, allow_all_outbound=False
        )

    def _log_refused_traffic(self, retention: logs.RetentionDays) -> None:
        group = logs.LogGroup(
            self, "Traffic", retention=retention, removal_policy=RemovalPolicy.DESTROY
        )
        log = self.vpc.add_flow_log(
            "Refused",
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(group),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )
        # CDK's own role: another one would replace the flow log, and EC2 refuses a second like it.
        role = log.iam_role.node.default_child if log.iam_role else None
        assert isinstance(role, iam.CfnRole)  # noqa: S101 -- what a log to CloudWatch is made with
        statement = "AssumeRolePolicyDocument.Statement.0"
        role.add_property_override(f"{statement}.Condition", for_this_account(self))


def _lead_to(
    group: ec2.SecurityGroup, prefix_list: str, endpoint: ec2.SecurityGroup | None
) -> None:
    """Let a group out to a prefix list, and to an endpoint, inside the group itself.

    CDK would write a rule of its own beside a group that has none, and AWS lets a group that is
    made without a rule out to everywhere.
    """
    resource = group.node.default_child
    assert isinstance(resource, ec2.CfnSecurityGroup)  # noqa: S101 -- what an L2 group is made of
    resource.security_group_egress = [
        ec2.CfnSecurityGroup.EgressProperty(
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            destination_prefix_list_id=prefix_list,
            description="to S3",
        ),
        *(
            [
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    from_port=443,
                    to_port=443,
                    destination_security_group_id=endpoint.security_group_id,
                    description="to Textract",
                )
            ]
            if endpoint
            else []
        ),
    ]
