"""Generated from docs/openapi.json by `npm run generate`: what the server answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class AccessBatchResult(TypedDict):
    project: str
    outcome: Literal["changed", "unchanged", "refused"]
    code: NotRequired[str]
    message: NotRequired[str]


class AccessChangeInput(TypedDict):
    access: NotRequired[Literal["open", "restricted"]]
    set: NotRequired[list[dict[str, Any]]]
    remove: NotRequired[list[SubjectBodyInput]]


AccessCheck = dict[str, Any]


class AccessGrant(TypedDict):
    subject: Subject
    role: Literal["viewer", "annotator", "editor", "manager"]
    counts_as: Literal["viewer", "annotator", "editor", "manager"]
    by: Literal["direct", "rule"]
    rule: NotRequired[dict[str, Any]]


class AccessHome(TypedDict):
    type: Literal["project", "library"]
    id: NotRequired[str]
    name: str


class AccessMay(TypedDict):
    read: bool
    ingest: bool
    annotate: bool
    write: bool
    manage: bool


class AccessPerson(TypedDict):
    id: str
    username: str
    role: Literal["viewer", "annotator", "editor", "manager"]
    counts_as: Literal["viewer", "annotator", "editor", "manager"]
    because: list[AccessReason]


class AccessPersonPage(TypedDict):
    data: list[AccessPerson]
    next_cursor: Union[str, None]


class AccessPolicy(TypedDict):
    default_project_access: dict[str, Any]
    open_role_of_members: dict[str, Any]
    members_create_projects: dict[str, Any]
    max_key_days: dict[str, Any]


class AccessPreview(TypedDict):
    project: str
    effects: NotRequired[RestrictingEffects]
    refused: NotRequired[dict[str, Any]]


class AccessReason(TypedDict):
    kind: Literal["admin", "system", "open", "direct", "team", "rule"]
    name: NotRequired[str]
    team: NotRequired[str]
    role: Literal["viewer", "annotator", "editor", "manager"]
    counts_as: Literal["viewer", "annotator", "editor", "manager"]


class AccessRule(TypedDict):
    id: str
    pattern: str
    access_of_new: Union[Literal["open", "restricted"], None]
    grants: list[dict[str, Any]]
    description: Union[str, None]
    project_count: int
    created_at: str
    updated_at: str


class AccessRulePage(TypedDict):
    data: list[AccessRule]
    next_cursor: Union[str, None]


class AccessRulePreview(TypedDict):
    project_count: int
    projects: list[dict[str, Any]]


class AccessStep(TypedDict):
    code: str
    text: str
    link: NotRequired[str]


class AgentCall(TypedDict):
    id: str
    time: str
    tool: str
    client_name: Union[str, None]
    client_version: Union[str, None]
    user: Union[dict[str, Any], None]
    outcome: Literal["ok", "partial", "refused", "too_slow", "cancelled", "failed"]
    duration_ms: float


class AgentCallPage(TypedDict):
    data: list[AgentCall]
    next_cursor: Union[str, None]


AnnotationConfigBodyInput = dict[str, Any]


class AnnotationConfigPage(TypedDict):
    data: list[Union[CategoricalAnnotationConfig, ContinuousAnnotationConfig, FreeformAnnotationConfig]]
    next_cursor: Union[str, None]


class AnnotationNames(TypedDict):
    data: list[dict[str, Any]]


class AnnotationOfSelectionInput(TypedDict):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]
    identifier: NotRequired[Union[str, None]]


class AnnotationResult(TypedDict):
    label: Union[str, None]
    score: Union[float, None]
    explanation: Union[str, None]


class AnonymousUser(TypedDict):
    auth_method: Literal["ANONYMOUS"]


class AuditEvent(TypedDict):
    id: str
    time: str
    action: str
    outcome: Literal["success", "failure", "denied"]
    code: NotRequired[str]
    actor: dict[str, Any]
    target: NotRequired[dict[str, Any]]
    ip: NotRequired[str]
    user_agent: NotRequired[str]
    request_id: NotRequired[str]
    details: NotRequired[dict[str, Any]]


class AuditEventPage(TypedDict):
    data: list[AuditEvent]
    next_cursor: Union[str, None]


class BulkRun(TypedDict):
    id: str
    project_id: str
    action: Literal["delete", "move", "annotate", "add_to_dataset"]
    kind: Literal["span", "trace", "session"]
    by_filter: bool
    destination_project_id: Union[str, None]
    dataset_id: Union[str, None]
    annotation_name: Union[str, None]
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    total_items: Union[int, None]
    done_items: int
    failed_items: int
    failures: list[dict[str, Any]]
    error: Union[str, None]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class BulkRunPage(TypedDict):
    data: list[BulkRun]
    next_cursor: Union[str, None]


class CategoricalAnnotationConfig(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    type: Literal["CATEGORICAL"]
    optimization_direction: Literal["MINIMIZE", "MAXIMIZE", "NONE"]
    values: list[dict[str, Any]]


class ChangedHomeAccess(TypedDict):
    access: Literal["open", "restricted"]
    follows: NotRequired[dict[str, Any]]
    grants: NotRequired[list[AccessGrant]]
    managers: NotRequired[list[Subject]]
    own: dict[str, Any]
    may_manage: bool
    people_count: int


class CheckedHome(TypedDict):
    home: AccessHome
    sees: bool
    role: Union[Literal["viewer", "annotator", "editor", "manager"], None]
    counts_as: Union[Literal["viewer", "annotator", "editor", "manager"], None]
    may: AccessMay
    reason: str


class CheckedHomePage(TypedDict):
    data: list[CheckedHome]
    next_cursor: Union[str, None]


class ContentDigests(TypedDict):
    """Equal for spans with equal content, whatever the ids of their calls; null for what a span does not have."""

    input: Union[str, None]
    output: Union[str, None]
    parameters: Union[str, None]


class ContinuousAnnotationConfig(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    type: Literal["CONTINUOUS"]
    optimization_direction: Literal["MINIMIZE", "MAXIMIZE", "NONE"]
    lower_bound: Union[float, None]
    upper_bound: Union[float, None]


class CostRecomputation(TypedDict):
    id: str
    project_id: str
    start_time: Union[str, None]
    end_time: Union[str, None]
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    total_spans: int
    seen_spans: int
    changed_spans: int
    progress: float
    error: Union[str, None]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class CostRecomputationPage(TypedDict):
    data: list[CostRecomputation]
    next_cursor: Union[str, None]


CreateBulkRunBodyInput = dict[str, Any]


class CreateCostRecomputationBodyInput(TypedDict):
    start_time: NotRequired[Union[str, None]]
    end_time: NotRequired[Union[str, None]]


class CreateModelPriceBodyInput(TypedDict):
    name: NotRequired[Union[str, None]]
    match: NotRequired[Union[Literal["exact", "prefix", "suffix", "contains", "regex"], None]]
    pattern: str
    provider: NotRequired[Union[str, None]]
    start_time: NotRequired[Union[str, None]]
    prices: dict[str, Any]


class CreateRetentionPolicyBodyInput(TypedDict):
    name: str
    cron: NotRequired[Union[str, None]]
    max_days: NotRequired[Union[float, None]]
    max_traces: NotRequired[Union[int, None]]
    keep_annotated: NotRequired[Union[bool, None]]


class CreateStorageRepairBodyInput(TypedDict):
    kind: Literal["totals", "orphans", "moves", "all"]
    project_id: NotRequired[Union[str, None]]
    start_time: NotRequired[Union[str, None]]
    end_time: NotRequired[Union[str, None]]
    dry_run: NotRequired[Union[bool, None]]


class CreatedSystemApiKey(TypedDict):
    id: str
    name: str
    description: NotRequired[str]
    created_at: str
    expires_at: NotRequired[str]
    last_used_at: NotRequired[str]
    hint: str
    permissions: Union[list[Literal["read", "ingest", "annotate", "write"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    ip_ranges: Union[list[str], None]
    allowed_origins: Union[list[str], None]
    limits: dict[str, Any]
    spans_today: Union[int, None]
    last_used_ip: Union[str, None]
    last_refused_at: Union[str, None]
    last_refused_code: Union[str, None]
    replaces: Union[str, None]
    replaced_by: Union[str, None]
    created_by: NotRequired[dict[str, Any]]
    key: str


class CreatedUserApiKey(TypedDict):
    id: str
    name: str
    description: NotRequired[str]
    created_at: str
    expires_at: NotRequired[str]
    last_used_at: NotRequired[str]
    hint: str
    permissions: Union[list[Literal["read", "ingest", "annotate", "write"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    ip_ranges: Union[list[str], None]
    allowed_origins: Union[list[str], None]
    limits: dict[str, Any]
    spans_today: Union[int, None]
    last_used_ip: Union[str, None]
    last_refused_at: Union[str, None]
    last_refused_code: Union[str, None]
    replaces: Union[str, None]
    replaced_by: Union[str, None]
    key: str


class Dataset(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    example_count: int
    project_id: NotRequired[str]


class DatasetChange(TypedDict):
    dataset_id: str
    version_id: str
    num_created_examples: int
    num_updated_examples: int
    num_deleted_examples: int


class DatasetExampleInSplits(TypedDict):
    id: str
    node_id: str
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]
    updated_at: str
    source: Union[DatasetExampleSource, None]
    splits: list[str]


class DatasetExampleRevision(TypedDict):
    id: str
    example_id: str
    version_id: str
    until_version_id: Union[str, None]
    kind: Literal["CREATE", "PATCH"]
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]
    created_at: str


class DatasetExampleRevisionPage(TypedDict):
    data: list[DatasetExampleRevision]
    next_cursor: Union[str, None]


class DatasetExampleSource(TypedDict):
    span_id: str
    span_node_id: str


class DatasetExamples(TypedDict):
    data: dict[str, Any]
    next_cursor: NotRequired[Union[str, None]]


class DatasetLabel(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    color: str


class DatasetLabelPage(TypedDict):
    data: list[DatasetLabel]
    next_cursor: Union[str, None]


class DatasetPage(TypedDict):
    data: list[Dataset]
    next_cursor: Union[str, None]


class DatasetSplit(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    color: str
    metadata: dict[str, Any]
    example_count: int
    created_at: str
    updated_at: str


class DatasetSplitPage(TypedDict):
    data: list[DatasetSplit]
    next_cursor: Union[str, None]


class DatasetVersion(TypedDict):
    version_id: str
    description: Union[str, None]
    metadata: dict[str, Any]
    created_at: str
    created_count: int
    updated_count: int
    deleted_count: int
    example_count: int


class DatasetVersionPage(TypedDict):
    data: list[DatasetVersion]
    next_cursor: Union[str, None]


class DeletedTeam(TypedDict):
    homes: list[TeamHome]


class DocumentAnnotation(TypedDict):
    id: str
    created_at: str
    updated_at: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    metadata: dict[str, Any]
    identifier: str
    span_id: str
    document_position: int


class DocumentAnnotationPage(TypedDict):
    data: list[DocumentAnnotation]
    next_cursor: Union[str, None]


class EffectiveSetting(TypedDict):
    name: str
    value: str


class Experiment(TypedDict):
    id: str
    dataset_id: str
    dataset_version_id: str
    name: str
    description: Union[str, None]
    repetitions: int
    metadata: dict[str, Any]
    project_name: Union[str, None]
    created_at: str
    updated_at: str
    example_count: int
    successful_run_count: int
    failed_run_count: int
    missing_run_count: int
    user_id: Union[str, None]
    tags: list[str]
    scores: dict[str, Any]
    average_latency_ms: Union[float, None]
    error_rate: Union[float, None]
    total_cost: Union[float, None]
    total_tokens: float


class ExperimentComparison(TypedDict):
    data: list[dict[str, Any]]
    summary: list[dict[str, Any]]
    next_cursor: Union[str, None]


class ExperimentExample(TypedDict):
    id: str
    node_id: str
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]
    updated_at: str
    source: None


class ExperimentPage(TypedDict):
    data: list[Experiment]
    next_cursor: Union[str, None]


class ExperimentRun(TypedDict):
    id: str
    experiment_id: str
    dataset_example_id: str
    output: Any
    repetition_number: int
    start_time: str
    end_time: str
    trace_id: Union[str, None]
    error: Union[str, None]


class ExperimentRunEvaluation(TypedDict):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    label: Union[str, None]
    score: Union[float, None]
    explanation: Union[str, None]
    trace_id: Union[str, None]
    error: Union[str, None]
    metadata: dict[str, Any]
    start_time: str
    end_time: str


class ExperimentRunPage(TypedDict):
    data: list[ExperimentRun]
    next_cursor: Union[str, None]


class ExperimentRunRecord(TypedDict):
    example_id: str
    repetition_number: int
    input: dict[str, Any]
    reference_output: dict[str, Any]
    output: Any
    error: Union[str, None]
    latency_ms: float
    start_time: str
    end_time: str
    trace_id: Union[str, None]
    prompt_token_count: Union[float, None]
    completion_token_count: Union[float, None]
    annotations: list[ExperimentRunEvaluation]


class ExperimentScore(TypedDict):
    mean: float
    count: int
    standard_error: Union[float, None]


class ExperimentTag(TypedDict):
    id: str
    name: str
    description: Union[str, None]


ExternalGroup = dict[str, Any]


ExternalGroupInput = dict[str, Any]


class FilterWarning(TypedDict):
    message: str
    position: int
    length: int
    suggestions: list[str]


class FreeformAnnotationConfig(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    type: Literal["FREEFORM"]
    optimization_direction: Union[Literal["MINIMIZE", "MAXIMIZE", "NONE"], None]
    threshold: Union[float, None]
    lower_bound: Union[float, None]
    upper_bound: Union[float, None]


class HomeAccess(TypedDict):
    access: Literal["open", "restricted"]
    follows: NotRequired[dict[str, Any]]
    grants: NotRequired[list[AccessGrant]]
    managers: NotRequired[list[Subject]]
    own: dict[str, Any]
    may_manage: bool


class IncompleteEvaluationPage(TypedDict):
    data: list[dict[str, Any]]
    next_cursor: Union[str, None]


class IncompleteRunPage(TypedDict):
    data: list[dict[str, Any]]
    next_cursor: Union[str, None]


class IngestHealth(TypedDict):
    started_at: str
    accepted_spans: int
    duplicate_spans: int
    accepted_log_records: int
    ignored_log_records: int
    rejected_spans: dict[str, Any]
    refused_requests: dict[str, Any]
    queued_requests: int
    queued_bytes: int
    queue_limit_bytes: int
    commits: int
    commit_ms: Union[dict[str, Any], None]
    last_commit_at: Union[str, None]
    last_error: Union[dict[str, Any], None]


class InsertedAnnotation(TypedDict):
    id: str


class KeyOfProject(TypedDict):
    id: str
    kind: Literal["user", "system"]
    name: str
    hint: str
    owner: Union[str, None]
    permissions: Union[list[str], None]
    expires_at: Union[str, None]
    last_used_at: Union[str, None]


class KeyOfProjectPage(TypedDict):
    data: list[KeyOfProject]
    next_cursor: Union[str, None]


class ListedPrompt(TypedDict):
    id: str
    name: str
    description: NotRequired[Union[str, None]]
    source_prompt_id: NotRequired[Union[str, None]]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    project_id: NotRequired[str]
    version_count: int
    latest_version: Union[dict[str, Any], None]
    tags: list[str]


class ListedTeam(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    source: Literal["manual", "scim"]
    member_count: int
    created_at: str
    updated_at: str
    external_groups: NotRequired[list[ExternalGroup]]
    members: NotRequired[list[str]]


class MailState(TypedDict):
    server: Union[str, None]
    sender: str
    steps: list[SignInStep]


class Message(TypedDict):
    role: str
    text: NotRequired[str]
    tool_calls: NotRequired[list[dict[str, Any]]]
    tool_call_id: NotRequired[str]
    images: NotRequired[float]
    image_urls: NotRequired[list[str]]
    media: NotRequired[list[dict[str, Any]]]
    reasoning: NotRequired[str]
    name: NotRequired[str]


class Metrics(TypedDict):
    data: list[MetricsPoint]
    start_time: str
    end_time: str
    bucket: Literal["minute", "hour", "day"]


class MetricsPoint(TypedDict):
    start_time: str
    group: Union[str, None]
    trace_count: int
    span_count: int
    running_count: int
    error_count: int
    latency_ms: Union[dict[str, Any], None]
    token_count_prompt: int
    token_count_completion: int
    token_count_total: int
    total_cost: float


class ModelPrice(TypedDict):
    id: str
    origin: Literal["built_in", "own"]
    name: str
    match: Union[Literal["exact", "prefix", "suffix", "contains", "regex"], None]
    pattern: Union[str, None]
    provider: Union[str, None]
    start_time: Union[str, None]
    hours: Union[dict[str, Any], None]
    prices: dict[str, Any]
    tiers: list[dict[str, Any]]
    user_id: Union[str, None]
    created_at: Union[str, None]
    updated_at: Union[str, None]


class ModelPricePage(TypedDict):
    data: list[ModelPrice]
    next_cursor: Union[str, None]


class NarrowSpan(TypedDict):
    id: str
    span_id: str
    parent_id: Union[str, None]
    name: str
    span_kind: str
    status_code: Literal["OK", "ERROR", "UNSET"]
    start_time: str
    end_time: str
    trace_id: str
    state: Literal["ended", "running", "unfinished"]
    status_message: str
    latency_ms: Union[float, None]
    model: Union[str, None]
    provider: Union[str, None]
    token_count_prompt: Union[int, None]
    token_count_completion: Union[int, None]
    token_count_total: Union[int, None]
    tokens_are_aggregate: bool
    total_cost: Union[float, None]
    session_id: Union[str, None]
    user_id: Union[str, None]
    cumulative_error_count: NotRequired[int]
    cumulative_token_count_prompt: NotRequired[int]
    cumulative_token_count_completion: NotRequired[int]
    cumulative_token_count_total: NotRequired[int]
    cumulative_cost: NotRequired[float]
    semantic: NotRequired[Semantic]
    attributes: NotRequired[dict[str, Any]]
    content_digests: NotRequired[ContentDigests]
    annotations: NotRequired[list[ShownAnnotation]]
    annotation_count: NotRequired[int]


class NewAnnotationResultInput(TypedDict):
    label: NotRequired[Union[str, None]]
    score: NotRequired[Union[float, None]]
    explanation: NotRequired[Union[str, None]]


class NewDocumentAnnotationInput(TypedDict):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]
    identifier: NotRequired[Union[str, None]]
    span_id: str
    document_position: int


class NewSessionAnnotationInput(TypedDict):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]
    identifier: NotRequired[Union[str, None]]
    session_id: str


class NewSpanAnnotationInput(TypedDict):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]
    identifier: NotRequired[Union[str, None]]
    span_id: str


class NewSpanInput(TypedDict):
    name: str
    context: dict[str, Any]
    span_kind: str
    parent_id: NotRequired[Union[str, None]]
    start_time: Union[str, float]
    end_time: Union[str, float]
    status_code: str
    status_message: NotRequired[Union[str, None]]
    attributes: NotRequired[Union[dict[str, Any], None]]
    events: NotRequired[Union[list[dict[str, Any]], None]]


class NewTraceAnnotationInput(TypedDict):
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]
    identifier: NotRequired[Union[str, None]]
    trace_id: str


class OAuth2Client(TypedDict):
    id: str
    client_id: str
    name: str
    kind: Literal["seeded", "registered", "admin", "metadata"]
    redirect_uris: list[str]
    device_flow: bool
    disabled: bool
    created_at: str
    last_used_at: Union[str, None]
    grant_count: int
    created_by: Union[dict[str, Any], None]


class OAuth2ClientPage(TypedDict):
    data: list[OAuth2Client]
    next_cursor: Union[str, None]


class OAuth2Grant(TypedDict):
    id: str
    client: dict[str, Any]
    permissions: Union[list[Literal["read", "ingest", "annotate", "write", "admin"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    resource: Literal["api", "mcp"]
    created_at: str
    expires_at: str
    last_used_at: Union[str, None]
    last_used_ip: Union[str, None]


class OAuth2GrantPage(TypedDict):
    data: list[OAuth2Grant]
    next_cursor: Union[str, None]


class OneAnnotation(TypedDict):
    data: Union[SpanAnnotation, TraceAnnotation, SessionAnnotation, DocumentAnnotation]


class OtlpAnyValue(TypedDict):
    array_value: Union[dict[str, Any], None]
    bool_value: Union[bool, None]
    bytes_value: Union[str, None]
    double_value: Union[float, str, None]
    int_value: Union[int, None]
    kvlist_value: Union[dict[str, Any], None]
    string_value: Union[str, None]


class OtlpKeyValue(TypedDict):
    key: str
    value: OtlpAnyValue


class OtlpSpan(TypedDict):
    """The span exactly as it was sent (after the limits)."""

    trace_id: str
    span_id: str
    parent_span_id: Union[str, None]
    trace_state: Union[str, None]
    flags: Union[int, None]
    name: str
    kind: str
    start_time_unix_nano: int
    end_time_unix_nano: int
    attributes: list[OtlpKeyValue]
    dropped_attributes_count: Union[int, None]
    events: Union[list[dict[str, Any]], None]
    dropped_events_count: Union[int, None]
    links: Union[list[dict[str, Any]], None]
    dropped_links_count: Union[int, None]
    status: dict[str, Any]
    resource: dict[str, Any]
    scope: dict[str, Any]


class OtlpSpanPage(TypedDict):
    data: list[OtlpSpan]
    next_cursor: Union[str, None]
    warnings: NotRequired[list[FilterWarning]]


class OwnUser(TypedDict):
    id: str
    created_at: str
    updated_at: str
    email: str
    username: str
    role: Literal["SYSTEM", "ADMIN", "MEMBER", "VIEWER"]
    auth_method: Literal["LOCAL", "OAUTH2", "LDAP"]
    password_needs_reset: NotRequired[bool]
    is_bound: NotRequired[bool]
    oauth2_provider: NotRequired[str]
    oauth2_client_id: NotRequired[str]
    oauth2_user_id: NotRequired[str]
    ldap_unique_id: NotRequired[str]
    profile_picture_url: NotRequired[str]
    last_login_at: NotRequired[str]
    credential: Literal["session", "user_key", "oauth_token", "system_key", "admin_secret"]
    permissions: NotRequired[Union[list[Literal["read", "ingest", "annotate", "write", "admin"]], None]]
    projects: NotRequired[Union[list[dict[str, Any]], None]]
    include_library: NotRequired[bool]
    expires_at: NotRequired[Union[str, None]]
    client: NotRequired[dict[str, Any]]
    management_url: NotRequired[str]


class OwnedApiKey(TypedDict):
    id: str
    name: str
    description: NotRequired[str]
    created_at: str
    expires_at: NotRequired[str]
    last_used_at: NotRequired[str]
    hint: str
    permissions: Union[list[Literal["read", "ingest", "annotate", "write"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    ip_ranges: Union[list[str], None]
    allowed_origins: Union[list[str], None]
    limits: dict[str, Any]
    spans_today: Union[int, None]
    last_used_ip: Union[str, None]
    last_refused_at: Union[str, None]
    last_refused_code: Union[str, None]
    replaces: Union[str, None]
    replaced_by: Union[str, None]
    user: dict[str, Any]


class OwnedApiKeyPage(TypedDict):
    data: list[OwnedApiKey]
    next_cursor: Union[str, None]


class OwnedOAuth2Grant(TypedDict):
    id: str
    client: dict[str, Any]
    permissions: Union[list[Literal["read", "ingest", "annotate", "write", "admin"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    resource: Literal["api", "mcp"]
    created_at: str
    expires_at: str
    last_used_at: Union[str, None]
    last_used_ip: Union[str, None]
    user: dict[str, Any]


class OwnedOAuth2GrantPage(TypedDict):
    data: list[OwnedOAuth2Grant]
    next_cursor: Union[str, None]


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: NotRequired[list[dict[str, Any]]]
    request_id: NotRequired[str]


class Project(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    created_at: str
    updated_at: str
    activity: NotRequired[ProjectActivity]
    access: NotRequired[Literal["open", "restricted"]]
    own_role: NotRequired[Literal["viewer", "annotator", "editor", "manager"]]


class ProjectActivity(TypedDict):
    start_time: str
    span_counts: list[int]
    error_counts: list[int]
    token_count_total: int
    total_cost: float
    latency_ms: Union[dict[str, Any], None]
    newest_trace_start_time: Union[str, None]


class ProjectPage(TypedDict):
    data: list[Project]
    next_cursor: Union[str, None]


class ProjectRetention(TypedDict):
    project_id: str
    policy_id: Union[str, None]
    policy: RetentionPolicy


class Prompt(TypedDict):
    id: str
    name: str
    description: NotRequired[Union[str, None]]
    source_prompt_id: NotRequired[Union[str, None]]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    project_id: NotRequired[str]


class PromptAnthropicInvocationParametersContent(TypedDict):
    max_tokens: int
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    stop_sequences: NotRequired[list[str]]
    output_config: NotRequired[dict[str, Any]]
    thinking: NotRequired[dict[str, Any]]
    extra_body: NotRequired[dict[str, Any]]


class PromptAnthropicInvocationParametersContentInput(TypedDict):
    max_tokens: int
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    stop_sequences: NotRequired[list[str]]
    output_config: NotRequired[dict[str, Any]]
    thinking: NotRequired[dict[str, Any]]
    extra_body: NotRequired[dict[str, Any]]


class PromptAwsInvocationParametersContent(TypedDict):
    max_tokens: NotRequired[int]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    stop_sequences: NotRequired[list[str]]


class PromptAwsInvocationParametersContentInput(TypedDict):
    max_tokens: NotRequired[int]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    stop_sequences: NotRequired[list[str]]


class PromptChatTemplate(TypedDict):
    type: Literal["chat"]
    messages: list[PromptMessage]


class PromptChatTemplateInput(TypedDict):
    type: Literal["chat"]
    messages: list[PromptMessageInput]


class PromptGoogleInvocationParametersContent(TypedDict):
    temperature: NotRequired[float]
    max_output_tokens: NotRequired[int]
    stop_sequences: NotRequired[list[str]]
    presence_penalty: NotRequired[float]
    frequency_penalty: NotRequired[float]
    top_p: NotRequired[float]
    top_k: NotRequired[int]
    thinking_config: NotRequired[dict[str, Any]]


class PromptGoogleInvocationParametersContentInput(TypedDict):
    temperature: NotRequired[float]
    max_output_tokens: NotRequired[int]
    stop_sequences: NotRequired[list[str]]
    presence_penalty: NotRequired[float]
    frequency_penalty: NotRequired[float]
    top_p: NotRequired[float]
    top_k: NotRequired[int]
    thinking_config: NotRequired[dict[str, Any]]


class PromptMessage(TypedDict):
    role: Literal["user", "assistant", "model", "ai", "tool", "system", "developer"]
    content: Union[str, list[Union[TextContentPart, ToolCallContentPart, ToolResultContentPart]]]


class PromptMessageInput(TypedDict):
    role: Literal["user", "assistant", "model", "ai", "tool", "system", "developer"]
    content: Union[str, list[Union[TextContentPartInput, ToolCallContentPartInput, ToolResultContentPartInput]]]


class PromptOpenAIInvocationParametersContent(TypedDict):
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    max_completion_tokens: NotRequired[int]
    frequency_penalty: NotRequired[float]
    presence_penalty: NotRequired[float]
    top_p: NotRequired[float]
    seed: NotRequired[int]
    stop: NotRequired[list[str]]
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh"]]
    extra_body: NotRequired[dict[str, Any]]


class PromptOpenAIInvocationParametersContentInput(TypedDict):
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    max_completion_tokens: NotRequired[int]
    frequency_penalty: NotRequired[float]
    presence_penalty: NotRequired[float]
    top_p: NotRequired[float]
    seed: NotRequired[int]
    stop: NotRequired[list[str]]
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh"]]
    extra_body: NotRequired[dict[str, Any]]


class PromptPage(TypedDict):
    data: list[ListedPrompt]
    next_cursor: Union[str, None]


class PromptResponseFormat(TypedDict):
    type: Literal["json_schema"]
    json_schema: dict[str, Any]


class PromptResponseFormatInput(TypedDict):
    type: Literal["json_schema"]
    json_schema: dict[str, Any]


class PromptStringTemplateInput(TypedDict):
    type: Literal["string"]
    template: str


class PromptTools(TypedDict):
    type: Literal["tools"]
    tools: list[dict[str, Any]]
    tool_choice: NotRequired[dict[str, Any]]
    disable_parallel_tool_calls: NotRequired[bool]


class PromptToolsInput(TypedDict):
    type: Literal["tools"]
    tools: list[dict[str, Any]]
    tool_choice: NotRequired[dict[str, Any]]
    disable_parallel_tool_calls: NotRequired[bool]


class PromptVersion(TypedDict):
    id: str
    description: str
    metadata: NotRequired[dict[str, Any]]
    model_provider: Literal["OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GOOGLE", "DEEPSEEK", "XAI", "OLLAMA", "AWS", "CEREBRAS", "FIREWORKS", "GROQ", "MOONSHOT", "MINIMAX", "PERPLEXITY", "TOGETHER", "ZAI", "META"]
    model_name: str
    template: PromptChatTemplate
    template_type: Literal["CHAT"]
    template_format: Literal["MUSTACHE", "F_STRING", "NONE"]
    invocation_parameters: dict[str, Any]
    tools: NotRequired[PromptTools]
    response_format: NotRequired[PromptResponseFormat]
    prompt_id: str
    created_at: str
    user_id: Union[str, None]
    tags: list[str]


class PromptVersionDataInput(TypedDict):
    description: NotRequired[Union[str, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]
    model_provider: Literal["OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GOOGLE", "DEEPSEEK", "XAI", "OLLAMA", "AWS", "CEREBRAS", "FIREWORKS", "GROQ", "MOONSHOT", "MINIMAX", "PERPLEXITY", "TOGETHER", "ZAI", "META"]
    model_name: str
    template: Union[PromptChatTemplateInput, PromptStringTemplateInput]
    template_type: Literal["STR", "CHAT"]
    template_format: Literal["MUSTACHE", "F_STRING", "NONE"]
    invocation_parameters: dict[str, Any]
    tools: NotRequired[Union[PromptToolsInput, None]]
    response_format: NotRequired[Union[PromptResponseFormatInput, None]]


class PromptVersionDiff(TypedDict):
    id: str
    against: str
    is_equal: bool
    changes: list[dict[str, Any]]
    messages: list[dict[str, Any]]


class PromptVersionPage(TypedDict):
    data: list[PromptVersion]
    next_cursor: Union[str, None]


class PromptVersionTag(TypedDict):
    id: str
    name: str
    description: NotRequired[str]


class PromptVersionTagPage(TypedDict):
    data: list[PromptVersionTag]
    next_cursor: Union[str, None]


class RawValue(TypedDict):
    attribute: str
    value: Any
    mime: NotRequired[str]


class RestrictingEffects(TypedDict):
    keeping_count: int
    losing_count: int
    losing: list[dict[str, Any]]
    refused_keys: list[dict[str, Any]]


class RetentionPolicy(TypedDict):
    id: str
    name: str
    cron: str
    max_days: Union[float, None]
    max_traces: Union[int, None]
    keep_annotated: bool
    project_count: int
    next_run_at: Union[str, None]
    last_run_at: Union[str, None]
    created_at: Union[str, None]
    updated_at: Union[str, None]


class RetentionPolicyPage(TypedDict):
    data: list[RetentionPolicy]
    next_cursor: Union[str, None]


class RetentionPreview(TypedDict):
    project_id: str
    max_days: Union[float, None]
    max_traces: Union[int, None]
    keep_annotated: bool
    deleted_traces: int
    kept_traces: int
    remaining_traces: int
    oldest: Union[str, None]
    newest: Union[str, None]
    traces: list[dict[str, Any]]


class RetentionRun(TypedDict):
    id: str
    policy_id: str
    project_id: str
    project_name: str
    started_at: str
    ended_at: Union[str, None]
    deleted_traces: int
    kept_traces: int
    error: Union[str, None]


class RetentionRunPage(TypedDict):
    data: list[RetentionRun]
    next_cursor: Union[str, None]


class RowMetrics(TypedDict):
    data: list[MetricsPoint]
    bucket: Literal["minute", "hour", "day"]
    read_from: Union[str, None]


class SampledValue(TypedDict):
    value: str
    span_count: int


class SampledValues(TypedDict):
    span_count: int
    fields: dict[str, Any]
    attributes: list[dict[str, Any]]


class Secret(TypedDict):
    key: str
    created_at: str
    updated_at: str
    updated_by: NotRequired[dict[str, Any]]


class SecretPage(TypedDict):
    data: list[Secret]
    next_cursor: None


class SecretWithValue(TypedDict):
    key: str
    created_at: str
    updated_at: str
    updated_by: NotRequired[dict[str, Any]]
    value: str


SelectionInput = dict[str, Any]


class SelectionSummary(TypedDict):
    kind: Literal["span", "trace", "session"]
    item_count: int
    trace_count: Union[int, None]
    span_count: int
    annotation_count: int
    log_record_count: int
    is_complete: bool


class Semantic(TypedDict):
    """What the span means. A key that is absent is not in the data."""

    convention: str
    kind: str
    kind_from: NotRequired[str]
    model: NotRequired[str]
    request_model: NotRequired[str]
    provider: NotRequired[str]
    tokens: NotRequired[TokenCounts]
    tokens_are_aggregate: NotRequired[bool]
    aggregated_tokens: NotRequired[TokenCounts]
    cost: NotRequired[dict[str, Any]]
    input: NotRequired[RawValue]
    output: NotRequired[RawValue]
    input_text: NotRequired[str]
    output_text: NotRequired[str]
    input_messages: NotRequired[list[Message]]
    output_messages: NotRequired[list[Message]]
    tool: NotRequired[dict[str, Any]]
    tool_definitions: NotRequired[list[str]]
    tool_schemas: NotRequired[list[Any]]
    documents: NotRequired[list[dict[str, Any]]]
    embeddings: NotRequired[dict[str, Any]]
    prompt_template: NotRequired[dict[str, Any]]
    invocation_parameters: NotRequired[Any]
    conversation: NotRequired[list[Message]]
    agent_name: NotRequired[str]
    error: NotRequired[dict[str, Any]]
    session_id: NotRequired[str]
    session_from: NotRequired[str]
    user_id: NotRequired[str]
    metadata: NotRequired[Any]
    metadata_flattened: NotRequired[Any]
    tags: NotRequired[list[str]]
    content_not_captured: NotRequired[bool]
    level: NotRequired[str]
    status_message: NotRequired[str]
    trace_name: NotRequired[str]
    environment: NotRequired[str]
    version: NotRequired[str]
    release: NotRequired[str]
    function_id: NotRequired[str]
    finish_reason: NotRequired[str]


class Session(TypedDict):
    id: str
    session_id: str
    project_id: str
    user_id: Union[str, None]
    start_time: str
    end_time: str
    state: Literal["ended", "running", "unfinished"]
    latency_ms: float
    traces: list[dict[str, Any]]
    trace_count: int
    span_count: int
    running_count: int
    error_count: int
    token_count_prompt: int
    token_count_completion: int
    token_count_total: int
    total_cost: Union[float, None]
    first_input: Union[str, None]
    last_output: Union[str, None]
    annotations: NotRequired[list[ShownAnnotation]]
    annotation_count: NotRequired[int]


class SessionAnnotation(TypedDict):
    id: str
    created_at: str
    updated_at: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    metadata: dict[str, Any]
    identifier: str
    session_id: str


class SessionAnnotationPage(TypedDict):
    data: list[SessionAnnotation]
    next_cursor: Union[str, None]


class SessionPage(TypedDict):
    data: list[Session]
    next_cursor: Union[str, None]
    warnings: NotRequired[list[FilterWarning]]


class ShownAnnotation(TypedDict):
    id: str
    target: Literal["span", "trace", "session"]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    identifier: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class SignInDirectory(TypedDict):
    settings: list[EffectiveSetting]
    servers: list[dict[str, Any]]


class SignInProvider(TypedDict):
    id: str
    name: str
    redirect_uri: Union[str, None]
    settings: list[EffectiveSetting]
    steps: list[SignInStep]


class SignInState(TypedDict):
    passwords: bool
    steps: list[SignInStep]
    providers: list[SignInProvider]
    ldap: Union[SignInDirectory, None]
    mail: MailState


class SignInStep(TypedDict):
    name: str
    outcome: Literal["ok", "warning", "failed", "skipped"]
    text: str
    settings: list[str]
    facts: list[dict[str, Any]]


class SignInTry(TypedDict):
    method: Literal["OAUTH2", "LDAP"]
    provider: Union[str, None]
    at: str
    accepted: bool
    code: Union[str, None]
    steps: list[SignInStep]
    claims: Union[dict[str, Any], None]


class Span(TypedDict):
    id: str
    name: str
    context: dict[str, Any]
    span_kind: str
    parent_id: Union[str, None]
    start_time: str
    end_time: str
    status_code: Literal["OK", "ERROR", "UNSET"]
    status_message: str
    attributes: dict[str, Any]
    events: list[SpanEvent]
    state: Literal["ended", "running", "unfinished"]
    latency_ms: Union[float, None]
    model: Union[str, None]
    provider: Union[str, None]
    token_count_prompt: Union[int, None]
    token_count_completion: Union[int, None]
    token_count_total: Union[int, None]
    tokens_are_aggregate: bool
    total_cost: Union[float, None]
    session_id: Union[str, None]
    user_id: Union[str, None]
    cumulative_error_count: int
    cumulative_token_count_prompt: int
    cumulative_token_count_completion: int
    cumulative_token_count_total: int
    cumulative_cost: float
    semantic: NotRequired[Semantic]
    annotations: NotRequired[list[ShownAnnotation]]
    annotation_count: NotRequired[int]


class SpanAnnotation(TypedDict):
    id: str
    created_at: str
    updated_at: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    metadata: dict[str, Any]
    identifier: str
    span_id: str


class SpanAnnotationPage(TypedDict):
    data: list[SpanAnnotation]
    next_cursor: Union[str, None]


class SpanDetail(TypedDict):
    id: str
    name: str
    context: dict[str, Any]
    span_kind: str
    parent_id: Union[str, None]
    start_time: str
    end_time: str
    status_code: Literal["OK", "ERROR", "UNSET"]
    status_message: str
    attributes: dict[str, Any]
    events: list[SpanEvent]
    state: Literal["ended", "running", "unfinished"]
    latency_ms: Union[float, None]
    model: Union[str, None]
    provider: Union[str, None]
    token_count_prompt: Union[int, None]
    token_count_completion: Union[int, None]
    token_count_total: Union[int, None]
    tokens_are_aggregate: bool
    total_cost: Union[float, None]
    session_id: Union[str, None]
    user_id: Union[str, None]
    cumulative_error_count: NotRequired[int]
    cumulative_token_count_prompt: NotRequired[int]
    cumulative_token_count_completion: NotRequired[int]
    cumulative_token_count_total: NotRequired[int]
    cumulative_cost: NotRequired[float]
    semantic: Semantic
    annotations: NotRequired[list[ShownAnnotation]]
    annotation_count: NotRequired[int]
    project_id: str
    otel_kind: str
    links: list[dict[str, Any]]
    resource: dict[str, Any]
    scope: dict[str, Any]
    log_events: list[dict[str, Any]]
    cost: Union[dict[str, Any], None]
    otlp: OtlpSpan


class SpanDetailAnswer(TypedDict):
    data: SpanDetail


class SpanEvent(TypedDict):
    name: str
    timestamp: str
    attributes: dict[str, Any]


class SpanPage(TypedDict):
    data: list[Span]
    next_cursor: Union[str, None]
    warnings: NotRequired[list[FilterWarning]]


class SpanTableQueryInput(TypedDict):
    select: NotRequired[Union[dict[str, Any], None]]
    filter: NotRequired[Union[dict[str, Any], None]]
    explode: NotRequired[Union[dict[str, Any], None]]
    concat: NotRequired[Union[dict[str, Any], None]]
    rename: NotRequired[Union[dict[str, Any], None]]
    index: NotRequired[Union[dict[str, Any], None]]


class SpanTablesBodyInput(TypedDict):
    queries: list[SpanTableQueryInput]
    start_time: NotRequired[Union[str, None]]
    end_time: NotRequired[Union[str, None]]
    stop_time: NotRequired[Union[str, None]]
    limit: NotRequired[Union[int, None]]
    root_spans_only: NotRequired[Union[bool, None]]
    orphan_span_as_root_span: NotRequired[Union[bool, None]]
    project_name: NotRequired[Union[str, None]]


class StartedSignInTry(TypedDict):
    authorization_url: str


class StorageNode(TypedDict):
    """What a node does not have, or does not tell the user of this server, is null."""

    shard: int
    replica: int
    host: str
    version: Union[str, None]
    state: Literal["ok", "behind", "read_only", "full", "unreachable"]
    delay_seconds: Union[float, None]
    queue_size: Union[int, None]
    active_parts_max: Union[int, None]
    merges: Union[int, None]
    free_bytes: Union[int, None]
    total_bytes: Union[int, None]
    last_error: Union[dict[str, Any], None]


class StorageNodePage(TypedDict):
    data: list[StorageNode]
    next_cursor: Union[str, None]


class StorageRepair(TypedDict):
    id: str
    kind: Literal["totals", "orphans", "moves", "all"]
    project_id: Union[str, None]
    start_time: Union[str, None]
    end_time: Union[str, None]
    dry_run: bool
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    looked_at: int
    found: int
    repaired: int
    created_by: Union[str, None]
    created_at: str
    finished_at: Union[str, None]
    error: Union[str, None]


class StorageRepairPage(TypedDict):
    data: list[StorageRepair]
    next_cursor: Union[str, None]


class StorageState(TypedDict):
    used_bytes: int
    capacity_bytes: Union[int, None]
    used_percentage: Union[float, None]
    warning_threshold_percentage: Union[float, None]
    blocking_threshold_percentage: Union[float, None]
    state: Literal["unlimited", "ok", "warning", "blocked"]
    measured_at: str
    traces: TracesState


class Subject(TypedDict):
    type: Literal["user", "team"]
    id: str
    name: str


SubjectBodyInput = dict[str, Any]


class SystemApiKey(TypedDict):
    id: str
    name: str
    description: NotRequired[str]
    created_at: str
    expires_at: NotRequired[str]
    last_used_at: NotRequired[str]
    hint: str
    permissions: Union[list[Literal["read", "ingest", "annotate", "write"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    ip_ranges: Union[list[str], None]
    allowed_origins: Union[list[str], None]
    limits: dict[str, Any]
    spans_today: Union[int, None]
    last_used_ip: Union[str, None]
    last_refused_at: Union[str, None]
    last_refused_code: Union[str, None]
    replaces: Union[str, None]
    replaced_by: Union[str, None]
    created_by: NotRequired[dict[str, Any]]


class SystemApiKeyPage(TypedDict):
    data: list[SystemApiKey]
    next_cursor: Union[str, None]


class Team(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    source: Literal["manual", "scim"]
    member_count: int
    created_at: str
    updated_at: str
    external_groups: list[ExternalGroup]
    homes: list[TeamHome]
    home_count: int


class TeamHome(TypedDict):
    type: Literal["project", "library"]
    id: NotRequired[str]
    name: str
    role: Literal["viewer", "annotator", "editor", "manager"]
    only_by_team: int


class TeamMember(TypedDict):
    id: str
    username: str
    sources: list[str]


class TeamMemberPage(TypedDict):
    data: list[TeamMember]
    next_cursor: Union[str, None]


class TeamPage(TypedDict):
    data: list[ListedTeam]
    next_cursor: Union[str, None]


class TestMailReport(TypedDict):
    accepted: bool
    steps: list[SignInStep]


class TextContentPart(TypedDict):
    type: Literal["text"]
    text: str


class TextContentPartInput(TypedDict):
    type: Literal["text"]
    text: str


class TokenCounts(TypedDict):
    prompt: NotRequired[float]
    completion: NotRequired[float]
    total: NotRequired[float]
    cache_read: NotRequired[float]
    cache_write: NotRequired[float]
    reasoning: NotRequired[float]


class ToolCallContentPart(TypedDict):
    type: Literal["tool_call"]
    tool_call_id: str
    tool_call: dict[str, Any]


class ToolCallContentPartInput(TypedDict):
    type: Literal["tool_call"]
    tool_call_id: str
    tool_call: dict[str, Any]


class ToolResultContentPart(TypedDict):
    type: Literal["tool_result"]
    tool_call_id: str
    tool_result: Any


class ToolResultContentPartInput(TypedDict):
    type: Literal["tool_result"]
    tool_call_id: str
    tool_result: Any


class Trace(TypedDict):
    id: str
    trace_id: str
    project_id: str
    start_time: str
    end_time: str
    state: Literal["ended", "running", "unfinished"]
    latency_ms: Union[float, None]
    token_count_prompt: int
    token_count_completion: int
    token_count_total: int
    total_cost: Union[float, None]
    span_count: int
    running_count: int
    error_count: int
    root_name: Union[str, None]
    root_span_id: Union[str, None]
    root_span_kind: str
    root_status_code: Literal["OK", "ERROR", "UNSET"]
    first_input: Union[str, None]
    last_output: Union[str, None]
    session_id: Union[str, None]
    user_id: Union[str, None]
    spans: Union[list[TraceSpan], None]
    annotations: NotRequired[list[ShownAnnotation]]
    annotation_count: NotRequired[int]


class TraceAnnotation(TypedDict):
    id: str
    created_at: str
    updated_at: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    metadata: dict[str, Any]
    identifier: str
    trace_id: str


class TraceAnnotationPage(TypedDict):
    data: list[TraceAnnotation]
    next_cursor: Union[str, None]


class TraceOutline(TypedDict):
    trace: dict[str, Any]
    errors: list[dict[str, Any]]
    errors_left_out: int
    rows: list[dict[str, Any]]
    span_count: int
    not_read: int
    left_out: dict[str, Any]
    link: str


class TraceOutlineAnswer(TypedDict):
    data: TraceOutline
    text: str


class TracePage(TypedDict):
    data: list[Trace]
    next_cursor: Union[str, None]
    warnings: NotRequired[list[FilterWarning]]


class TraceSpan(TypedDict):
    id: str
    span_id: str
    parent_id: Union[str, None]
    name: str
    span_kind: str
    status_code: Literal["OK", "ERROR", "UNSET"]
    start_time: str
    end_time: str


class TraceWithSpans(TypedDict):
    data: dict[str, Any]
    next_cursor: Union[str, None]


class TracesState(TypedDict):
    kind: Literal["sqlite", "postgres", "clickhouse"]
    state: Literal["ok", "behind", "read_only", "full", "unreachable", "incomplete"]
    delay_seconds: float
    pending_delete_bytes: Union[int, None]
    insert_interval_ms: Union[int, None]
    older_rows: Union[int, None]


class TransferTracesAnswer(TypedDict):
    data: dict[str, Any]


class TryLdapBodyInput(TypedDict):
    username: str
    password: NotRequired[str]


class UpdateAnnotationInput(TypedDict):
    annotator_kind: NotRequired[Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]


class UpdateModelPriceBodyInput(TypedDict):
    name: NotRequired[str]
    match: NotRequired[Literal["exact", "prefix", "suffix", "contains", "regex"]]
    pattern: NotRequired[str]
    provider: NotRequired[Union[str, None]]
    start_time: NotRequired[Union[str, None]]
    prices: NotRequired[dict[str, Any]]


class UpdateRetentionPolicyBodyInput(TypedDict):
    name: NotRequired[str]
    cron: NotRequired[str]
    max_days: NotRequired[Union[float, None]]
    max_traces: NotRequired[Union[int, None]]
    keep_annotated: NotRequired[bool]


class UpdateSecretsBodyInput(TypedDict):
    secrets: list[dict[str, Any]]


class User(TypedDict):
    id: str
    created_at: str
    updated_at: str
    email: str
    username: str
    role: Literal["SYSTEM", "ADMIN", "MEMBER", "VIEWER"]
    auth_method: Literal["LOCAL", "OAUTH2", "LDAP"]
    password_needs_reset: NotRequired[bool]
    is_bound: NotRequired[bool]
    oauth2_provider: NotRequired[str]
    oauth2_client_id: NotRequired[str]
    oauth2_user_id: NotRequired[str]
    ldap_unique_id: NotRequired[str]
    profile_picture_url: NotRequired[str]
    last_login_at: NotRequired[str]


class UserApiKey(TypedDict):
    id: str
    name: str
    description: NotRequired[str]
    created_at: str
    expires_at: NotRequired[str]
    last_used_at: NotRequired[str]
    hint: str
    permissions: Union[list[Literal["read", "ingest", "annotate", "write"]], None]
    projects: Union[list[dict[str, Any]], None]
    hidden_project_count: int
    include_library: bool
    ip_ranges: Union[list[str], None]
    allowed_origins: Union[list[str], None]
    limits: dict[str, Any]
    spans_today: Union[int, None]
    last_used_ip: Union[str, None]
    last_refused_at: Union[str, None]
    last_refused_code: Union[str, None]
    replaces: Union[str, None]
    replaced_by: Union[str, None]


class UserApiKeyPage(TypedDict):
    data: list[UserApiKey]
    next_cursor: Union[str, None]


class UserPage(TypedDict):
    data: list[User]
    next_cursor: Union[str, None]


class WaitingAnnotation(TypedDict):
    id: str
    target: Literal["span", "trace", "session", "document"]
    target_id: str
    document_position: Union[int, None]
    project_id: Union[str, None]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    metadata: dict[str, Any]
    identifier: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    created_at: str
    reason: str


class WaitingAnnotationPage(TypedDict):
    data: list[WaitingAnnotation]
    next_cursor: Union[str, None]
