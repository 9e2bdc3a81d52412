"""A Lambda function of the table: its code, its log, its role without a single grant."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from aws_cdk import Duration
from aws_cdk import Stage as Assembly
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.logs import log_group, may_write
from infra.components.network import Network
from infra.config import Stage
from infra.functions import FunctionSpec
from pulsedocs.errors import ConfigurationError

RUNTIME: Final = lambda_.Runtime.PYTHON_3_13
_MOST_VARIABLES: Final = 4096  # bytes of an environment, by Lambda
_FUNCTIONS: Final = Path(__file__).parents[2] / "functions"
# EC2 knows no narrower resource for them; inside the isolated subnets no route leads to EC2.
_NETWORK_INTERFACE: Final = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
    "ec2:GetSecurityGroupsForVpc",
    "ec2:UnassignPrivateIpAddresses",
)


class Function(Construct):
    """Database side, sandbox or internet side, as its row in the table says."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        spec: FunctionSpec,
        stage: Stage,
        layers: Sequence[lambda_.ILayerVersion],
        variables: Mapping[str, str],
        network: Network,
    ) -> None:
        super().__init__(scope, id_)
        _refuse_too_much(spec.name, variables)
        name = stage.function_name(spec.name)
        log = log_group(self, "Log", name=f"/aws/lambda/{name}", days=stage.log_days)
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        self.role.add_to_policy(may_write(log))
        placement: dict[str, Any] = {}
        if not spec.internet:
            self.role.add_to_policy(
                iam.PolicyStatement(actions=list(_NETWORK_INTERFACE), resources=["*"])
            )
            placement = {
                "vpc": network.vpc,
                "vpc_subnets": network.subnets,
                "security_groups": [network.clients if spec.database_role else network.sandbox],
            }
        docstring = (_FUNCTIONS / spec.name / "handler.py").read_text("utf-8").removeprefix('"""')
        self.function = lambda_.Function(
            self,
            "Function",
            function_name=name,
            description=docstring.partition("\n")[0].rstrip('"'),
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            code=self._copy_handler(spec.name),
            handler=spec.handler,
            layers=layers,
            memory_size=spec.memory_mb,
            timeout=Duration.seconds(spec.timeout_seconds),
            environment=dict(variables),
            role=self.role,
            log_group=log,
            tracing=lambda_.Tracing.ACTIVE,
            **placement,
        )

    def _copy_handler(self, name: str) -> lambda_.Code:
        """Copy one handler alone: a change to one function deploys one function.

        Its sample event stays behind, and so does its byte code, which every test run rewrites.
        """
        assembly = Assembly.of(self)
        assert assembly is not None  # noqa: S101 -- every construct is in an app
        root = Path(assembly.outdir) / "handlers" / name
        folder = root / "functions" / name
        folder.mkdir(parents=True, exist_ok=True)
        for source in (*(_FUNCTIONS / name).glob("*.py"), *(_FUNCTIONS / name).glob("*.sh")):
            shutil.copy(source, folder / source.name)  # with its mode: a script is executed
        return lambda_.Code.from_asset(str(root))


def _refuse_too_much(name: str, variables: Mapping[str, str]) -> None:
    """Refuse what Lambda would refuse in the middle of a deployment.

    What only a deployment knows, such as the name of a bucket, counts here by its place holder.
    """
    size = sum(len(f"{variable}{value}".encode()) for variable, value in variables.items())
    if size > _MOST_VARIABLES:
        raise ConfigurationError(
            f"the environment of {name} would have {size} bytes, of which Lambda takes"
            f" {_MOST_VARIABLES}: choose fewer or shorter settings"
        )
