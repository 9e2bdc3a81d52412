"""Who may call: a Cognito pool of the stage's own, or any OpenID Connect issuer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from aws_cdk import Aws, CfnCondition, Duration, Fn, RemovalPolicy, Stack
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.function import RUNTIME
from infra.components.logs import log_group, may_write
from infra.components.tenant_claim import TENANT_SCOPES
from infra.config import CALLBACK_URLS, Options, Stage
from pulsedocs.scopes import READ, WRITE

TENANT_ATTRIBUTE: Final = "tenant_id"
_TRIGGER: Final = Path(__file__).with_name("tenant_claim.py")


class SignIn(Construct):
    """A pool without self-registration, whose access tokens name the user's tenant.

    Users neither choose nor change their tenant: the client may not write the attribute. Services
    sign in as clients of their own, each with the secret and the tenant of one.
    """

    def __init__(
        self, scope: Construct, id_: str, *, stage: Stage, services: Mapping[str, str]
    ) -> None:
        super().__init__(scope, id_)
        self.pool = self._make_pool(stage)
        self.client = self._make_client()
        self.page = self._address_of(self._make_domain(stage))
        self.services = self._add_services(services)
        self._add_group(
            "writers", "May upload and change documents; everyone else may read and ask"
        )
        self._add_group("operators", "May say what their tenant spends in a day")

    def return_to(self, addresses: Sequence[str]) -> None:
        """Let people come back to the console, signed in or out; its addresses are known late."""
        resource = self.client.node.default_child
        assert isinstance(resource, cognito.CfnUserPoolClient)  # noqa: S101 -- what an L2 client is made of
        resource.callback_ur_ls = [*CALLBACK_URLS, *addresses]
        resource.logout_ur_ls = list(addresses)

    def _make_pool(self, stage: Stage) -> cognito.UserPool:
        pool = cognito.UserPool(
            self,
            "Pool",
            user_pool_name=f"pulsedocs-{stage.name}",
            feature_plan=cognito.FeaturePlan.ESSENTIALS,  # the first that lets a trigger add claims
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,  # Cognito's default is True, and a pool never changes it
            custom_attributes={
                TENANT_ATTRIBUTE: cognito.StringAttribute(min_len=36, max_len=36, mutable=True)
            },
            password_policy=cognito.PasswordPolicy(
                min_length=14,
                require_digits=True,
                require_lowercase=True,
                require_uppercase=True,
                require_symbols=True,
                temp_password_validity=Duration.days(3),
            ),
            mfa=cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(sms=False, otp=True),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            deletion_protection=stage.is_protected,
            removal_policy=RemovalPolicy.RETAIN if stage.is_protected else RemovalPolicy.DESTROY,
        )
        pool.add_trigger(
            cognito.UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG,
            self._make_trigger(stage),
            cognito.LambdaVersion.V3_0,  # the first that is asked about services too
        )
        return pool

    def _make_client(self) -> cognito.UserPoolClient:
        return self.pool.add_client(
            "Client",
            auth_flows=cognito.AuthFlow(user_srp=True, admin_user_password=True),
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                scopes=[cognito.OAuthScope.OPENID],
                callback_urls=list(CALLBACK_URLS),
            ),
            supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
            generate_secret=False,
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            access_token_validity=Duration.minutes(60),
            refresh_token_validity=Duration.days(1),
            read_attributes=_email_only(),
            write_attributes=_email_only(),
        )

    def _make_domain(self, stage: Stage) -> cognito.UserPoolDomain:
        # One in a region has each name: this ends as the id of the stack begins.
        id_of_stack = Fn.select(2, Fn.split("/", Stack.of(self).stack_id))
        ending = Fn.select(0, Fn.split("-", id_of_stack))
        prefix = Fn.join("-", [f"pulsedocs-{stage.name}", ending])
        options = cognito.CognitoDomainOptions(domain_prefix=prefix)
        return self.pool.add_domain("Domain", cognito_domain=options)

    def _address_of(self, domain: cognito.UserPoolDomain) -> str:
        """Return where people sign in; in GovCloud a pool's pages have FIPS addresses alone."""
        # https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/govcloud-cog.html
        is_govcloud = CfnCondition(
            self, "IsGovCloud", expression=Fn.condition_equals(Aws.PARTITION, "aws-us-gov")
        )
        address = Fn.condition_if(
            is_govcloud.logical_id, domain.base_url(fips=True), domain.base_url()
        )
        return address.to_string()

    def _add_group(self, name: str, description: str) -> None:
        cognito.CfnUserPoolGroup(
            self,
            name.title(),
            user_pool_id=self.pool.user_pool_id,
            group_name=name,
            description=description,
        )

    def _add_services(self, services: Mapping[str, str]) -> dict[str, cognito.UserPoolClient]:
        """Add a client for each service: what it may do, and for whom, are scopes of the client."""
        if not services:
            return {}
        rights = _scopes(READ, WRITE)
        tenants = [
            cognito.ResourceServerScope(scope_name=tenant, scope_description="Speaks for it")
            for tenant in sorted(set(services.values()))
        ]
        documents = self.pool.add_resource_server(
            "Documents", identifier=READ.partition("/")[0], scopes=rights
        )
        speaking = self.pool.add_resource_server(
            "Tenants", identifier=TENANT_SCOPES.rstrip("/"), scopes=tenants
        )
        return {
            name: self.pool.add_client(
                f"Service-{name}",
                user_pool_client_name=name,
                generate_secret=True,
                o_auth=cognito.OAuthSettings(
                    flows=cognito.OAuthFlows(client_credentials=True),
                    scopes=[
                        *(cognito.OAuthScope.resource_server(documents, one) for one in rights),
                        *(
                            cognito.OAuthScope.resource_server(speaking, one)
                            for one in tenants
                            if one.scope_name == tenant
                        ),
                    ],
                ),
                access_token_validity=Duration.minutes(60),
                # Cognito lets users sign in through any client; by default they could write all.
                read_attributes=_email_only(),
                write_attributes=_email_only(),
            )
            for name, tenant in services.items()
        }

    def _make_trigger(self, stage: Stage) -> lambda_.Function:
        name = stage.function_name("tenant-claim")
        log = log_group(self, "TriggerLog", name=f"/aws/lambda/{name}", days=stage.log_days)
        role = iam.Role(
            self, "TriggerRole", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        role.add_to_policy(may_write(log))
        return lambda_.Function(
            self,
            "Trigger",
            function_name=name,
            description="Puts the user's tenant and scopes into the access token",
            runtime=RUNTIME,
            architecture=lambda_.Architecture.ARM_64,
            code=lambda_.Code.from_inline(_TRIGGER.read_text("utf-8")),
            handler="index.handler",
            memory_size=128,
            timeout=Duration.seconds(5),  # the longest that Cognito waits
            role=role,
            log_group=log,
        )

    def variables(self) -> dict[str, str]:
        """Return what `authorize` needs to verify this pool's tokens."""
        stack = Stack.of(self)
        host = f"cognito-idp.{stack.region}.{stack.url_suffix}"
        issuer = f"https://{host}/{self.pool.user_pool_id}"
        return {
            "TOKEN_ISSUER": issuer,
            "TOKEN_AUDIENCE": " ".join(
                client.user_pool_client_id for client in (self.client, *self.services.values())
            ),
            "TOKEN_JWKS_URL": f"{issuer}/.well-known/jwks.json",
            "TOKEN_TENANT_CLAIM": TENANT_ATTRIBUTE,
        }


def _email_only() -> cognito.ClientAttributes:
    return cognito.ClientAttributes().with_standard_attributes(email=True)


def _scopes(*names: str) -> list[cognito.ResourceServerScope]:
    return [
        cognito.ResourceServerScope(scope_name=right, scope_description=f"May {right} documents")
        for right in (name.partition("/")[2] for name in names)
    ]


def own_issuer(options: Options) -> dict[str, str]:
    """Return what `authorize` needs to verify the tokens of an issuer given by context."""
    return {
        "TOKEN_ISSUER": options.token_issuer,
        "TOKEN_AUDIENCE": options.token_audience,
        "TOKEN_JWKS_URL": options.token_jwks_url,
        "TOKEN_TENANT_CLAIM": options.token_tenant_claim,
        "TOKEN_SCOPE_CLAIM": options.token_scope_claim,
    }
