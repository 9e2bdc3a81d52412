"""Models that Amazon Bedrock serves in the account: no key, the function's role decides."""
