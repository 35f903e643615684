"""Which variables kubegap, the Kubernetes client and the credential plugins that kubeconfigs name read.

Names only: a value never goes into a configuration file.
"""

from typing import Final

PLAIN: Final = (
    "KUBECONFIG",
    "KUBEGAP_CONFIG",
    "KUBEGAP_LANG",
    "KUBEGAP_PROMETHEUS",
    "KUBEGAP_PROMETHEUS_SERVICE",
    "KUBEGAP_PROMETHEUS_USERNAME",
    "KUBEGAP_PROMETHEUS_CA",
    "KUBEGAP_PROMETHEUS_HEADERS",
    # a pod's own cluster
    "KUBERNETES_SERVICE_HOST",
    "KUBERNETES_SERVICE_PORT",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    # aws eks get-token, aws-iam-authenticator
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_CONFIG_FILE",
    "AWS_SDK_LOAD_CONFIG",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_STS_REGIONAL_ENDPOINTS",
    "AWS_CA_BUNDLE",
    "AWS_EC2_METADATA_DISABLED",
    # az, kubelogin
    "AZURE_CONFIG_DIR",
    "AAD_LOGIN_METHOD",
    "AAD_SERVICE_PRINCIPAL_CLIENT_ID",
    # gcloud, gke-gcloud-auth-plugin
    "CLOUDSDK_CONFIG",
    "CLOUDSDK_ACTIVE_CONFIG_NAME",
    "CLOUDSDK_CORE_ACCOUNT",
    "CLOUDSDK_CORE_PROJECT",
    "CLOUDSDK_PYTHON",
    # oci ce cluster generate-token
    "OCI_CLI_CONFIG_FILE",
    "OCI_CLI_PROFILE",
    "OCI_CLI_REGION",
)
# Gemini CLI 0.61 hides these from servers unless the entry names them (seen by running it).
HIDDEN_BY_GEMINI: Final = (
    "KUBEGAP_PROMETHEUS_PASSWORD_FILE",
    "KUBEGAP_PROMETHEUS_TOKEN_FILE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AZURE_CLIENT_ID",
    "AZURE_TENANT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_CLIENT_CERTIFICATE_PASSWORD",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_AUTHORITY_HOST",
    "AAD_SERVICE_PRINCIPAL_CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE",
    "CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT",
    "OCI_CLI_AUTH",
)
# All that Codex 0.171 hands to a server which names no others (seen by running it), and what Windows cannot do without.
GIVEN_BY_CODEX: Final = (
    "HOME",
    "LOGNAME",
    "PATH",
    "SHELL",
    "USER",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "TZ",
    "SYSTEMROOT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "TEMP",
)
