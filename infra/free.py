"""What a stage has that costs nothing while nobody uses it, each type with the reason."""

from collections.abc import Mapping
from typing import Final

_BY_REASON: Final[Mapping[str, tuple[str, ...]]] = {
    "part of an API: requests are paid": (
        "AWS::ApiGateway::Authorizer",
        "AWS::ApiGateway::BasePathMapping",
        "AWS::ApiGateway::DomainName",
        "AWS::ApiGateway::Deployment",
        "AWS::ApiGateway::Method",
        "AWS::ApiGateway::GatewayResponse",
        "AWS::ApiGateway::Resource",
        "AWS::ApiGateway::RestApi",
        "AWS::ApiGateway::Stage",
    ),
    "a setting of the account": ("AWS::ApiGateway::Account",),
    "budgets without actions have no price": ("AWS::Budgets::Budget",),
    "a note for CDK": ("AWS::CDK::Metadata",),
    "a function of the stack, called at deployment": (
        "AWS::CloudFormation::CustomResource",
        "Custom::FirstRole",
    ),
    "the first 10,000 monthly users are free": (
        "AWS::Cognito::UserPool",
        "AWS::Cognito::UserPoolDomain",
        "AWS::Cognito::UserPoolGroup",
    ),
    "priced with the clients that ask for its scopes": ("AWS::Cognito::UserPoolResourceServer",),
    "priced with the key": ("AWS::KMS::Alias",),
    "its log is paid by what comes in": ("AWS::EC2::FlowLog",),
    "networks, their routes and rules have no price; gateways and endpoints have": (
        "AWS::EC2::RouteTable",
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::Subnet",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EC2::VPC",
    ),
    "permissions have no price": (
        "AWS::IAM::Policy",
        "AWS::IAM::Role",
        "AWS::Lambda::Permission",
        "AWS::S3::BucketPolicy",
        "AWS::SNS::TopicPolicy",
        "AWS::SQS::QueuePolicy",
    ),
    "paid by call and time; what a schedule calls is priced with its rule": (
        "AWS::Lambda::EventInvokeConfig",
        "AWS::Lambda::Function",
        "AWS::Lambda::Version",
    ),
    "its size counts toward 75 GB that are free": ("AWS::Lambda::LayerVersion",),
    "paid by what comes in; an idle stage writes a line every five minutes": (
        "AWS::Logs::LogGroup",
    ),
    "a setting of the database": (
        "AWS::RDS::DBClusterParameterGroup",
        "AWS::RDS::DBSubnetGroup",
    ),
    "its capacity is priced with the cluster": ("AWS::RDS::DBInstance",),
    "paid by what lies in it": ("AWS::S3::Bucket",),
    "the first 1,000 mails of a month are free": (
        "AWS::SNS::Subscription",
        "AWS::SNS::Topic",
    ),
    "paid by message": ("AWS::SQS::Queue",),
    "paid by transition": ("AWS::StepFunctions::StateMachine",),
    "priced with the web ACL": ("AWS::WAFv2::WebACLAssociation",),
}

FREE_WHILE_IDLE: Final = {kind: reason for reason, kinds in _BY_REASON.items() for kind in kinds}
