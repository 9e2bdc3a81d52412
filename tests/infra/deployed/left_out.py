"""What of the templates is not made on moto, and why. A type in neither list fails a test."""

from typing import Final

_DATABASE: Final = "Aurora; PostgreSQL of this machine stands in, signed in to with passwords"
_NETWORK: Final = "functions are processes of this machine: nothing here has a subnet"
_SIGN_IN: Final = "moto's pools run no trigger, so that their tokens name no tenant"
_NAME: Final = "a name of one's own needs a zone and a certificate: this machine has neither"
_WATCHING: Final = "nothing here publishes the metrics of AWS's own services"
_KEY: Final = "its policy is evaluated for each caller; the stage that is made here has no key"

LEFT_OUT: Final = {
    "AWS::ApiGateway::Account": "where the account's gateways log; this one's log is a test's own",
    "AWS::ApiGateway::BasePathMapping": _NAME,
    "AWS::ApiGateway::DomainName": _NAME,
    "AWS::CloudWatch::Alarm": _WATCHING,
    "AWS::CloudWatch::Dashboard": _WATCHING,
    "AWS::Cognito::UserPool": _SIGN_IN,
    "AWS::Cognito::UserPoolClient": _SIGN_IN,
    "AWS::Cognito::UserPoolDomain": _SIGN_IN,
    "AWS::Cognito::UserPoolGroup": _SIGN_IN,
    "AWS::Cognito::UserPoolResourceServer": _SIGN_IN,
    "AWS::EC2::FlowLog": _NETWORK,
    "AWS::KMS::Alias": _KEY,
    "AWS::KMS::Key": _KEY,
    "AWS::EC2::RouteTable": _NETWORK,
    "AWS::EC2::SecurityGroup": _NETWORK,
    "AWS::EC2::SecurityGroupEgress": _NETWORK,
    "AWS::EC2::SecurityGroupIngress": _NETWORK,
    "AWS::EC2::Subnet": _NETWORK,
    "AWS::EC2::SubnetRouteTableAssociation": _NETWORK,
    "AWS::EC2::VPC": _NETWORK,
    "AWS::EC2::VPCEndpoint": _NETWORK,
    "AWS::Lambda::EventInvokeConfig": "an invocation that nobody waits for is made once here",
    "AWS::Lambda::LayerVersion": "the product is imported from the checkout, its wheels installed",
    "AWS::RDS::DBCluster": _DATABASE,
    "AWS::RDS::DBClusterParameterGroup": _DATABASE,
    "AWS::RDS::DBInstance": _DATABASE,
    "AWS::RDS::DBSubnetGroup": _DATABASE,
    "AWS::S3::BucketPolicy": "it denies what is not encrypted on its way: everything here",
    "AWS::SNS::Subscription": "a person's mailbox",
    "AWS::SNS::Topic": _WATCHING,
    "AWS::SNS::TopicPolicy": _WATCHING,
    "AWS::SQS::QueuePolicy": "moto sends to a queue whoever may",
    "AWS::WAFv2::WebACL": "moto's gateway has no firewall in front of it",
    "AWS::WAFv2::WebACLAssociation": "moto's gateway has no firewall in front of it",
    "AWS::Budgets::Budget": "moto counts no money",
    "Custom::FirstRole": _DATABASE,
}
