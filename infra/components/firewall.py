"""AWS WAF in front of the API, with three rules; each costs, and so does the list."""

import json
from collections.abc import Mapping
from typing import Any, Final

from aws_cdk import aws_wafv2 as wafv2
from constructs import Construct

from infra.config import Stage

_WINDOW_SECONDS: Final = 60  # the shortest: who was too fast is let in again soonest
_RETRY_SECONDS: Final = 30  # AWS notices within that, as a rule, that somebody has slowed down
_TOO_MANY: Final = "TooManyRequests"
_KNOWN_BAD_INPUTS: Final = "AWSManagedRulesKnownBadInputsRuleSet"
_MANAGED_RULES: Final = ("AWSManagedRulesAmazonIpReputationList", _KNOWN_BAD_INPUTS)


_ABOUT_BODIES: Final = ("JavaDeserializationRCE_BODY", "Log4JRCE_BODY", "ReactJSRCE_BODY")
"""Counted, not refused: a document or a question about an exploit quotes it. No function interprets
a body as Java, JavaScript or a template for logs. WAF passes over names that a group has not."""


class Firewall(Construct):
    """Addresses with a bad name, known exploits, and floods from one address.

    The common rule set is left out: it refuses bodies above 8 KB, and a question with its metadata
    filter may be longer.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        stage: Stage,
        protected_arn: str,
        too_many: Mapping[str, Any],
    ) -> None:
        """`too_many` is the problem document for who goes beyond the stage's limit."""
        super().__init__(scope, id_)
        acl = wafv2.CfnWebACL(
            self,
            "Acl",
            scope="REGIONAL",
            default_action=wafv2.CfnWebACL.DefaultActionProperty(allow={}),
            visibility_config=_visibility(f"pulsedocs-{stage.name}"),
            rules=[_limit_per_address(stage), *_managed_rules()],
            custom_response_bodies={
                _TOO_MANY: wafv2.CfnWebACL.CustomResponseBodyProperty(
                    content_type="APPLICATION_JSON", content=json.dumps(too_many)
                )
            },
        )
        wafv2.CfnWebACLAssociation(
            self, "Association", web_acl_arn=acl.attr_arn, resource_arn=protected_arn
        )


def _limit_per_address(stage: Stage) -> wafv2.CfnWebACL.RuleProperty:
    return wafv2.CfnWebACL.RuleProperty(
        name="RequestsPerAddress",
        priority=0,
        action=wafv2.CfnWebACL.RuleActionProperty(
            block=wafv2.CfnWebACL.BlockActionProperty(
                custom_response=wafv2.CfnWebACL.CustomResponseProperty(
                    response_code=429,
                    custom_response_body_key=_TOO_MANY,
                    response_headers=[
                        wafv2.CfnWebACL.CustomHTTPHeaderProperty(
                            name="Retry-After", value=str(_RETRY_SECONDS)
                        )
                    ],
                )
            )
        ),
        statement=wafv2.CfnWebACL.StatementProperty(
            rate_based_statement=wafv2.CfnWebACL.RateBasedStatementProperty(
                limit=stage.requests_per_address,
                evaluation_window_sec=_WINDOW_SECONDS,
                aggregate_key_type="IP",
            )
        ),
        visibility_config=_visibility("RequestsPerAddress"),
    )


def _managed_rules() -> list[wafv2.CfnWebACL.RuleProperty]:
    counted = [
        wafv2.CfnWebACL.RuleActionOverrideProperty(
            name=about_bodies,
            action_to_use=wafv2.CfnWebACL.RuleActionProperty(count={}),
        )
        for about_bodies in _ABOUT_BODIES
    ]
    return [
        wafv2.CfnWebACL.RuleProperty(
            name=rule,
            priority=priority,
            override_action=wafv2.CfnWebACL.OverrideActionProperty(none={}),
            statement=wafv2.CfnWebACL.StatementProperty(
                managed_rule_group_statement=wafv2.CfnWebACL.ManagedRuleGroupStatementProperty(
                    vendor_name="AWS",
                    name=rule,
                    rule_action_overrides=counted if rule == _KNOWN_BAD_INPUTS else None,
                )
            ),
            visibility_config=_visibility(rule),
        )
        for priority, rule in enumerate(_MANAGED_RULES, 1)
    ]


def _visibility(name: str) -> wafv2.CfnWebACL.VisibilityConfigProperty:
    """Count, but keep no samples: a sampled request shows its body."""
    return wafv2.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=name, sampled_requests_enabled=False
    )
