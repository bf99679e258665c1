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


class AddReviewItemsBodyInput(TypedDict):
    targets: NotRequired[list[ReviewTargetInput]]
    experiment_id: NotRequired[str]
    filter: NotRequired[Union[str, dict[str, Any]]]
    project: NotRequired[str]
    time_range: NotRequired[dict[str, Any]]
    limit: NotRequired[int]
    priority: NotRequired[int]


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


class Analytics(TypedDict):
    of: Literal["spans", "traces", "sessions", "annotations", "errors", "spend", "ingest"]
    start_time: str
    end_time: str
    time_zone: str
    bucket: Literal["none", "minute", "5_minutes", "15_minutes", "hour", "6_hours", "day", "week", "month"]
    buckets: list[dict[str, Any]]
    series: list[dict[str, Any]]
    others: Union[dict[str, Any], None]
    all: dict[str, Any]
    groups_total: int
    overlapping: bool
    is_partial: bool
    covered_start_time: Union[str, None]
    approximate: list[str]
    source: Literal["totals", "rows"]
    distribution: NotRequired[AnalyticsDistribution]
    took_ms: int


class AnalyticsDistribution(TypedDict):
    of: str
    scale: Literal["log", "linear"]
    bins: list[dict[str, Any]]
    totals: list[int]
    values: list[Union[list[int], None]]


class AnalyticsDrillDown(TypedDict):
    """The list with this filter holds exactly the rows that were counted; for annotations, what they are about, for errors, their spans."""

    of: Literal["spans", "traces", "sessions"]
    project: str
    filter: str
    q: NotRequired[str]
    error_filter: str


class AnalyticsSchema(TypedDict):
    rows: list[dict[str, Any]]
    functions: list[str]
    buckets: list[str]
    ranges: list[str]
    comparisons: list[str]


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


AttributeKey = dict[str, Any]


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


class BuiltInEvaluator(TypedDict):
    key: str
    title: str
    description: str
    inputs: list[dict[str, Any]]
    output: Union[CategoricalEvaluatorOutput, ScoreEvaluatorOutput]
    parameters: dict[str, Any]


class BuiltInEvaluatorVersionInput(TypedDict):
    kind: Literal["BUILT_IN"]
    builtin: dict[str, Any]
    inputs: NotRequired[list[InputOfEvaluatorInput]]
    outputs: NotRequired[list[Union[CategoricalEvaluatorOutputInput, ScoreEvaluatorOutputInput]]]
    mapping: NotRequired[EvaluatorMappingByTargetInput]


class BuiltInModelProvider(TypedDict):
    provider: Literal["OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GOOGLE", "DEEPSEEK", "XAI", "OLLAMA", "AWS", "CEREBRAS", "FIREWORKS", "GROQ", "MOONSHOT", "MINIMAX", "PERPLEXITY", "TOGETHER", "ZAI", "META"]
    name: str


class BulkRun(TypedDict):
    id: str
    project_id: str
    action: Literal["delete", "move", "annotate", "add_to_dataset", "add_to_review_queue"]
    kind: Literal["span", "trace", "session"]
    by_filter: bool
    destination_project_id: Union[str, None]
    dataset_id: Union[str, None]
    review_queue_id: Union[str, None]
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


class CategoricalEvaluatorOutput(TypedDict):
    name: str
    optimization_direction: Literal["MINIMIZE", "MAXIMIZE", "NONE"]
    explanation: Literal["none", "before", "after"]
    type: Literal["categorical"]
    labels: list[dict[str, Any]]


class CategoricalEvaluatorOutputInput(TypedDict):
    name: str
    optimization_direction: NotRequired[Literal["MINIMIZE", "MAXIMIZE", "NONE"]]
    explanation: NotRequired[Literal["none", "before", "after"]]
    type: Literal["categorical"]
    labels: list[dict[str, Any]]


class ChangedHomeAccess(TypedDict):
    access: Literal["open", "restricted"]
    follows: NotRequired[dict[str, Any]]
    grants: NotRequired[list[AccessGrant]]
    managers: NotRequired[list[Subject]]
    own: dict[str, Any]
    may_manage: bool
    people_count: int


class ChatCompletion(TypedDict):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: NotRequired[ChatCompletionUsage]
    warnings: NotRequired[list[str]]


class ChatCompletionBodyInput(TypedDict):
    model: str
    messages: list[ChatMessageInput]
    stream: NotRequired[Union[bool, None]]
    stream_options: NotRequired[Union[dict[str, Any], None]]
    temperature: NotRequired[Union[float, None]]
    top_p: NotRequired[Union[float, None]]
    max_tokens: NotRequired[Union[int, None]]
    max_completion_tokens: NotRequired[Union[int, None]]
    stop: NotRequired[Union[Union[str, list[str]], None]]
    frequency_penalty: NotRequired[Union[float, None]]
    presence_penalty: NotRequired[Union[float, None]]
    seed: NotRequired[Union[int, None]]
    n: NotRequired[Union[int, None]]
    reasoning_effort: NotRequired[Union[Literal["none", "minimal", "low", "medium", "high", "xhigh"], None]]
    tools: NotRequired[Union[list[dict[str, Any]], None]]
    tool_choice: NotRequired[Union[Union[Literal["none", "auto", "required"], dict[str, Any]], None]]
    parallel_tool_calls: NotRequired[Union[bool, None]]
    response_format: NotRequired[Union[dict[str, Any], None]]
    user: NotRequired[Union[str, None]]


class ChatCompletionError(TypedDict):
    """An error as OpenAI's clients read it."""

    error: dict[str, Any]


class ChatCompletionUsage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: dict[str, Any]
    completion_tokens_details: dict[str, Any]


ChatMessageInput = dict[str, Any]


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


class CodeEvaluatorVersionInput(TypedDict):
    kind: Literal["CODE"]
    inputs: list[InputOfEvaluatorInput]
    outputs: list[Union[CategoricalEvaluatorOutputInput, ScoreEvaluatorOutputInput]]
    mapping: NotRequired[EvaluatorMappingByTargetInput]
    language: Literal["javascript", "typescript"]
    source: str
    timeout_ms: NotRequired[int]
    memory_mib: NotRequired[int]


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


class CreateDashboardBodyInput(TypedDict):
    name: str
    description: NotRequired[Union[str, None]]
    visibility: NotRequired[Literal["shared", "private"]]
    range: NotRequired[str]
    time_zone: NotRequired[Union[str, None]]
    refresh_seconds: NotRequired[Union[Union[Literal[30], Literal[60], Literal[300], Literal[900]], None]]
    filter: NotRequired[Union[str, None]]
    controls: NotRequired[list[str]]
    widgets: NotRequired[list[DashboardWidgetInput]]
    project_id: NotRequired[Union[str, None]]


class CreateEvaluatorBodyInput(TypedDict):
    name: str
    description: NotRequired[Union[str, None]]
    version: Union[LlmEvaluatorVersionInput, CodeEvaluatorVersionInput, BuiltInEvaluatorVersionInput]
    template: NotRequired[Union[str, None]]


class CreateEvaluatorVersionBodyInput(TypedDict):
    version: Union[LlmEvaluatorVersionInput, CodeEvaluatorVersionInput, BuiltInEvaluatorVersionInput]
    template: NotRequired[Union[str, None]]


class CreateModelConnectionBodyInput(TypedDict):
    name: str
    kind: Literal["openai", "openai_compatible", "azure_openai", "anthropic", "google", "google_vertex", "aws_bedrock"]
    base_url: NotRequired[Union[str, None]]
    api: NotRequired[Union[Literal["responses", "chat_completions"], None]]
    settings: NotRequired[Union[dict[str, Any], None]]
    models: NotRequired[Union[list[str], None]]
    default_model: NotRequired[Union[str, None]]
    enabled: NotRequired[bool]
    use_by: NotRequired[Literal["members", "admins"]]
    rules_by: NotRequired[Literal["members", "admins"]]
    max_concurrency: NotRequired[int]
    requests_per_minute: NotRequired[Union[int, None]]
    tokens_per_minute: NotRequired[Union[int, None]]
    monthly_budget_usd: NotRequired[Union[float, None]]
    timeout_seconds: NotRequired[int]
    credentials: NotRequired[Union[dict[str, Any], None]]
    headers: NotRequired[Union[dict[str, Any], None]]


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


class CreateReviewQueueBodyInput(TypedDict):
    name: str
    description: NotRequired[Union[str, None]]
    guidance: NotRequired[Union[str, None]]
    target: Literal["span", "trace", "session", "experiment_run"]
    questions: list[ReviewQuestionBodyInput]
    reviews_required: NotRequired[int]
    reviewers: NotRequired[Union[list[str], None]]
    adjudicators: NotRequired[list[str]]
    blind: NotRequired[bool]
    hide_model_annotations: NotRequired[bool]
    order: NotRequired[Literal["oldest", "newest", "random", "priority"]]
    seed: NotRequired[int]
    lease_minutes: NotRequired[int]
    due_at: NotRequired[Union[str, None]]


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


class CustomModelProvider(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    provider: str
    sdk: Literal["openai", "azure_openai", "anthropic", "aws_bedrock", "google_genai"]
    created_at: str
    updated_at: str


class CustomModelProviderPage(TypedDict):
    data: list[CustomModelProvider]
    next_cursor: Union[str, None]


class Dashboard(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    project_id: Union[str, None]
    visibility: Literal["shared", "private"]
    owner_id: Union[str, None]
    created_at: Union[str, None]
    updated_at: Union[str, None]
    updated_by: Union[dict[str, Any], None]
    is_built_in: bool
    range: str
    time_zone: Union[str, None]
    refresh_seconds: Union[Union[Literal[30], Literal[60], Literal[300], Literal[900]], None]
    filter: Union[str, None]
    controls: list[str]
    widgets: list[StoredDashboardWidget]


class DashboardFile(TypedDict):
    """A dashboard without ids and owners, for another installation."""

    spanward_dashboard: Literal[1]
    name: str
    description: NotRequired[Union[str, None]]
    visibility: Literal["shared", "private"]
    range: str
    time_zone: NotRequired[Union[str, None]]
    refresh_seconds: NotRequired[Union[Union[Literal[30], Literal[60], Literal[300], Literal[900]], None]]
    filter: NotRequired[Union[str, None]]
    controls: list[str]
    widgets: list[DashboardWidget]


class DashboardFileInput(TypedDict):
    """A dashboard without ids and owners, for another installation."""

    spanward_dashboard: Literal[1]
    name: str
    description: NotRequired[Union[str, None]]
    visibility: NotRequired[Literal["shared", "private"]]
    range: NotRequired[str]
    time_zone: NotRequired[Union[str, None]]
    refresh_seconds: NotRequired[Union[Union[Literal[30], Literal[60], Literal[300], Literal[900]], None]]
    filter: NotRequired[Union[str, None]]
    controls: NotRequired[list[str]]
    widgets: NotRequired[list[DashboardWidgetInput]]


class DashboardPage(TypedDict):
    data: list[DashboardSummary]
    next_cursor: Union[str, None]


class DashboardSummary(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    project_id: Union[str, None]
    visibility: Literal["shared", "private"]
    owner_id: Union[str, None]
    created_at: Union[str, None]
    updated_at: Union[str, None]
    updated_by: Union[dict[str, Any], None]
    is_built_in: bool
    widget_count: int


class DashboardWidget(TypedDict):
    key: str
    kind: Literal["time_series", "bar", "table", "number", "histogram", "heatmap", "text"]
    title: str
    query: NotRequired[Union[dict[str, Any], None]]
    text: NotRequired[Union[str, None]]
    display: dict[str, Any]
    layout: dict[str, Any]


class DashboardWidgetInput(TypedDict):
    key: str
    kind: Literal["time_series", "bar", "table", "number", "histogram", "heatmap", "text"]
    title: str
    query: NotRequired[Union[dict[str, Any], None]]
    text: NotRequired[Union[str, None]]
    display: NotRequired[dict[str, Any]]
    layout: dict[str, Any]


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


class DatasetEvaluator(TypedDict):
    evaluator: Evaluator
    version_id: Union[str, None]
    mapping: Union[EvaluatorMapping, None]
    run_automatically: bool
    updated_at: str


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


class DefaultViews(TypedDict):
    """By page the id of the view that the list opens with; null for none."""

    traces: Union[str, None]
    spans: Union[str, None]
    sessions: Union[str, None]
    users: Union[str, None]
    errors: Union[str, None]


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


class EndUser(TypedDict):
    user_id: str
    first_seen: str
    last_seen: Union[str, None]
    session_count: int
    trace_count: int
    error_count: int
    failed_count: int
    tokens_prompt: float
    tokens_completion: float
    tokens_total: float
    cost_total: float
    latency_p95: Union[float, None]
    scores: list[dict[str, Any]]
    error_groups_open: int


class ErrorActivity(TypedDict):
    id: str
    time: str
    action: Literal["resolved", "ignored", "reopened", "regressed", "unignored", "assigned", "unassigned", "merged", "unmerged"]
    actor_kind: str
    user: Union[dict[str, Any], None]
    details: dict[str, Any]


class ErrorActivityPage(TypedDict):
    data: list[ErrorActivity]
    next_cursor: Union[str, None]


class ErrorComment(TypedDict):
    id: str
    error_group_id: str
    author: Union[dict[str, Any], None]
    is_own: bool
    text: str
    created_at: str
    updated_at: str


class ErrorCommentBodyInput(TypedDict):
    text: str


class ErrorCommentPage(TypedDict):
    data: list[ErrorComment]
    next_cursor: Union[str, None]


class ErrorGroup(TypedDict):
    id: str
    project_id: str
    fingerprint: str
    error_kind: Literal["refusal", "provider_error", "tool_failure", "exception", "error"]
    title: str
    message: str
    culprit: dict[str, Any]
    state: Literal["open", "resolved", "ignored"]
    substate: Union[Literal["new", "ongoing", "regressed"], None]
    resolved_at: Union[str, None]
    resolved_in_release: Union[str, None]
    ignore_until: Union[dict[str, Any], None]
    assignee: Union[dict[str, Any], None]
    count: int
    user_count: int
    session_count: int
    trace_count: int
    total_count: int
    first_seen: str
    last_seen: str
    first_release: Union[str, None]
    last_release: Union[str, None]
    releases: list[str]
    sparkline: NotRequired[list[int]]
    updated_at: str


class ErrorGroupBatchAnswer(TypedDict):
    data: list[dict[str, Any]]


class ErrorGroupBatchInput(TypedDict):
    ids: list[str]
    change: ErrorGroupChangeInput


class ErrorGroupChangeInput(TypedDict):
    state: NotRequired[Literal["open", "resolved", "ignored"]]
    resolved_in_release: NotRequired[Union[str, None]]
    ignore_until: NotRequired[Union[dict[str, Any], None]]
    assignee_id: NotRequired[Union[str, None]]


class ErrorGroupDetail(TypedDict):
    id: str
    project_id: str
    fingerprint: str
    error_kind: Literal["refusal", "provider_error", "tool_failure", "exception", "error"]
    title: str
    message: str
    culprit: dict[str, Any]
    state: Literal["open", "resolved", "ignored"]
    substate: Union[Literal["new", "ongoing", "regressed"], None]
    resolved_at: Union[str, None]
    resolved_in_release: Union[str, None]
    ignore_until: Union[dict[str, Any], None]
    assignee: Union[dict[str, Any], None]
    count: int
    user_count: int
    session_count: int
    trace_count: int
    total_count: int
    first_seen: str
    last_seen: str
    first_release: Union[str, None]
    last_release: Union[str, None]
    releases: list[str]
    sparkline: NotRequired[list[int]]
    updated_at: str
    grouping: ErrorGrouping
    fingerprints: list[dict[str, Any]]
    timeline: dict[str, Any]
    newest: Union[ErrorOccurrence, None]
    oldest: Union[ErrorOccurrence, None]
    by_release: list[ErrorOccurrence]
    users: list[dict[str, Any]]


class ErrorGroupPage(TypedDict):
    data: list[ErrorGroup]
    next_cursor: Union[str, None]
    counts: dict[str, Any]
    start_time: str
    end_time: str
    is_partial: bool
    covered_start_time: Union[str, None]
    is_enabled: bool
    is_full: bool


class ErrorGrouping(TypedDict):
    rule: Literal["explicit", "provider", "refusal", "stack", "message"]
    parts: list[dict[str, Any]]
    normalized_message: str
    frames: list[dict[str, Any]]


class ErrorOccurrence(TypedDict):
    span_id: str
    trace_id: str
    time: str
    user_id: Union[str, None]
    session_id: Union[str, None]
    release: Union[str, None]
    environment: Union[str, None]
    model: Union[str, None]
    message: str
    fingerprint: str


class ErrorOccurrencePage(TypedDict):
    data: list[ErrorOccurrence]
    next_cursor: Union[str, None]


class ErrorSettings(TypedDict):
    project_id: str
    release_key: Union[str, None]
    own_code: list[str]
    kinds: Union[list[Literal["refusal", "provider_error", "tool_failure", "exception", "error"]], None]
    updated_at: Union[str, None]


class ErrorSettingsBodyInput(TypedDict):
    release_key: Union[str, None]
    own_code: list[str]
    kinds: Union[list[Literal["refusal", "provider_error", "tool_failure", "exception", "error"]], None]


class EvaluateBodyInput(TypedDict):
    evaluator: NotRequired[str]
    evaluator_version_id: NotRequired[str]
    version: NotRequired[Union[LlmEvaluatorVersionInput, CodeEvaluatorVersionInput, BuiltInEvaluatorVersionInput]]
    mapping: NotRequired[EvaluatorMappingInput]
    target: dict[str, Any]
    annotate: NotRequired[bool]


class EvaluationResult(TypedDict):
    outputs: dict[str, Any]
    cost_usd: Union[float, None]
    latency_ms: float
    trace_id: Union[str, None]
    model: Union[str, None]
    warnings: list[str]
    truncated: bool
    rendered: NotRequired[list[Any]]


class Evaluator(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    kind: Literal["LLM", "CODE", "BUILT_IN"]
    is_archived: bool
    latest_version: dict[str, Any]
    outputs: list[str]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


EvaluatorMapping = dict[str, Any]


class EvaluatorMappingByTarget(TypedDict):
    span: NotRequired[EvaluatorMapping]
    trace: NotRequired[EvaluatorMapping]
    session: NotRequired[EvaluatorMapping]
    run: NotRequired[EvaluatorMapping]


class EvaluatorMappingByTargetInput(TypedDict):
    span: NotRequired[EvaluatorMappingInput]
    trace: NotRequired[EvaluatorMappingInput]
    session: NotRequired[EvaluatorMappingInput]
    run: NotRequired[EvaluatorMappingInput]


EvaluatorMappingInput = dict[str, Any]


class EvaluatorPage(TypedDict):
    data: list[Evaluator]
    next_cursor: Union[str, None]


class EvaluatorTemplate(TypedDict):
    id: str
    key: str
    title: str
    description: str
    known_weaknesses: list[str]
    targets: list[Literal["span", "trace", "session", "run"]]
    outputs: list[str]
    version: dict[str, Any]
    messages: list[PromptMessage]
    examples: list[dict[str, Any]]


class EvaluatorUsage(TypedDict):
    datasets: list[dict[str, Any]]
    jobs: list[dict[str, Any]]
    hidden: int


EvaluatorVersionDefinition = dict[str, Any]


class EvaluatorVersionDiff(TypedDict):
    id: str
    against: str
    is_equal: bool
    changes: list[dict[str, Any]]


class EvaluatorVersionOfEvaluator(TypedDict):
    id: str
    evaluator_id: str
    number: int
    template: Union[str, None]
    version: EvaluatorVersionDefinition
    user_id: Union[str, None]
    created_at: str


class EvaluatorVersionPage(TypedDict):
    data: list[EvaluatorVersionOfEvaluator]
    next_cursor: Union[str, None]


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
    task: Union[dict[str, Any], None]


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


class ExperimentGate(TypedDict):
    passed: bool
    problems: list[dict[str, Any]]
    url: str
    experiment: dict[str, Any]
    baseline: Union[dict[str, Any], None]
    requirements: list[dict[str, Any]]
    regressions: list[dict[str, Any]]


class ExperimentJob(TypedDict):
    id: str
    kind: Literal["run", "evaluate"]
    name: str
    state: Literal["waiting", "running", "paused", "done", "failed", "cancelled"]
    reason: Union[Literal["asked", "cost_limit", "budget_exhausted", "failing", "storage_full", "connection_off", "connection_unconfirmed", "calls_off", "price_unknown", "restored", "dataset_deleted"], None]
    error: Union[str, None]
    dataset_id: str
    dataset_version_id: Union[str, None]
    experiments: list[dict[str, Any]]
    runs: dict[str, Any]
    evaluations: dict[str, Any]
    cost_usd: float
    max_cost_usd: Union[float, None]
    rest_usd: Union[float, None]
    minutes_left: Union[float, None]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class ExperimentJobEstimate(TypedDict):
    examples: int
    runs: int
    evaluations: int
    tokens: dict[str, Any]
    cost_usd: Union[dict[str, Any], None]
    unpriced_models: list[str]
    minutes: dict[str, Any]
    basis: str
    problems: list[dict[str, Any]]


class ExperimentJobPage(TypedDict):
    data: list[ExperimentJob]
    next_cursor: Union[str, None]


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


class ExperimentRunDetails(TypedDict):
    id: str
    experiment_id: str
    experiment_name: str
    dataset_id: str
    dataset_example_id: str
    repetition_number: int
    repetitions: int
    input: dict[str, Any]
    reference_output: dict[str, Any]
    metadata: dict[str, Any]
    output: Any
    error: Union[str, None]
    latency_ms: float
    start_time: str
    end_time: str
    trace_id: Union[str, None]
    project_name: Union[str, None]
    evaluations: Union[list[ExperimentRunEvaluation], None]
    reviews: Union[list[ExperimentRunReview], None]


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


class ExperimentRunReview(TypedDict):
    name: str
    label: Union[str, None]
    score: Union[float, None]
    explanation: Union[str, None]
    identifier: str
    queue_id: str
    is_decision: bool
    user_id: Union[str, None]
    username: Union[str, None]
    source: Literal["API", "APP"]
    created_at: str
    updated_at: str


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


class Facet(TypedDict):
    field: str
    values: list[dict[str, Any]]
    distinct: int
    is_partial: bool


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


class ImageContentPart(TypedDict):
    type: Literal["image"]
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    data: str


class ImageContentPartInput(TypedDict):
    type: Literal["image"]
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    data: str


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


class InputOfEvaluator(TypedDict):
    name: str
    required: bool
    description: NotRequired[str]


class InputOfEvaluatorInput(TypedDict):
    name: str
    required: NotRequired[bool]
    description: NotRequired[str]


class InsertedAnnotation(TypedDict):
    id: str


class JudgeVariant(TypedDict):
    connection_id: str
    model: NotRequired[str]
    label: NotRequired[str]
    prompt_version_id: NotRequired[str]
    messages: NotRequired[list[PromptMessage]]
    template_format: NotRequired[Literal["MUSTACHE", "F_STRING"]]
    invocation_parameters: NotRequired[dict[str, Any]]


class JudgeVariantInput(TypedDict):
    connection_id: str
    model: NotRequired[str]
    label: NotRequired[str]
    prompt_version_id: NotRequired[str]
    messages: NotRequired[list[PromptMessageInput]]
    template_format: NotRequired[Literal["MUSTACHE", "F_STRING"]]
    invocation_parameters: NotRequired[dict[str, Any]]


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


class ListedEvaluatorTemplate(TypedDict):
    id: str
    key: str
    title: str
    description: str
    known_weaknesses: list[str]
    targets: list[Literal["span", "trace", "session", "run"]]
    outputs: list[str]


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


class LlmEvaluatorVersionInput(TypedDict):
    kind: Literal["LLM"]
    inputs: list[InputOfEvaluatorInput]
    outputs: list[Union[CategoricalEvaluatorOutputInput, ScoreEvaluatorOutputInput]]
    mapping: NotRequired[EvaluatorMappingByTargetInput]
    variant: JudgeVariantInput
    max_input_chars: NotRequired[int]
    when_too_long: NotRequired[Literal["skip", "cut"]]
    include_images: NotRequired[bool]


class MailState(TypedDict):
    server: Union[str, None]
    sender: str
    steps: list[SignInStep]


class MergeErrorGroupsBodyInput(TypedDict):
    ids: list[str]


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


class ModelConnection(TypedDict):
    """Admins see all of it, others how it can be used."""

    id: str
    name: str
    kind: Literal["openai", "openai_compatible", "azure_openai", "anthropic", "google", "google_vertex", "aws_bedrock"]
    models: Union[list[str], None]
    default_model: Union[str, None]
    enabled: bool
    state: Literal["ready", "failing", "unconfirmed", "off"]
    use_by: Literal["members", "admins"]
    rules_by: Literal["members", "admins"]
    origin: NotRequired[Literal["api", "settings"]]
    base_url: NotRequired[Union[str, None]]
    address: NotRequired[Union[str, None]]
    api: NotRequired[Union[Literal["responses", "chat_completions"], None]]
    settings: NotRequired[dict[str, Any]]
    credentials: NotRequired[dict[str, Any]]
    headers: NotRequired[list[str]]
    confirmed: NotRequired[bool]
    failing: NotRequired[Union[dict[str, Any], None]]
    max_concurrency: NotRequired[int]
    requests_per_minute: NotRequired[Union[int, None]]
    tokens_per_minute: NotRequired[Union[int, None]]
    monthly_budget_usd: NotRequired[Union[float, None]]
    timeout_seconds: NotRequired[int]
    spending: NotRequired[dict[str, Any]]
    user_id: NotRequired[Union[str, None]]
    created_at: NotRequired[str]
    updated_at: NotRequired[str]


class ModelConnectionModels(TypedDict):
    data: list[dict[str, Any]]
    problem: Union[dict[str, Any], None]


class ModelConnectionPage(TypedDict):
    data: list[ModelConnection]
    next_cursor: Union[str, None]


class ModelConnectionPreset(TypedDict):
    id: str
    name: str
    kind: Literal["openai", "openai_compatible", "azure_openai", "anthropic", "google", "google_vertex", "aws_bedrock"]
    base_url: str
    needs_key: bool
    secret: Union[dict[str, Any], None]


class ModelConnectionTest(TypedDict):
    ok: bool
    steps: list[dict[str, Any]]


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


class ModelUsage(TypedDict):
    month: str
    purpose: Literal["playground", "experiment", "evaluator", "chat_completions", "test"]
    model: str
    calls: int
    errors: dict[str, Any]
    input_tokens: int
    output_tokens: int
    cost_usd: float


class ModelUsageList(TypedDict):
    data: list[ModelUsage]


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


class PatchReviewQueueBodyInput(TypedDict):
    name: NotRequired[str]
    description: NotRequired[Union[str, None]]
    guidance: NotRequired[Union[str, None]]
    questions: NotRequired[list[ReviewQuestionBodyInput]]
    reviews_required: NotRequired[int]
    reviewers: NotRequired[Union[list[str], None]]
    adjudicators: NotRequired[list[str]]
    hide_model_annotations: NotRequired[bool]
    order: NotRequired[Literal["oldest", "newest", "random", "priority"]]
    lease_minutes: NotRequired[int]
    due_at: NotRequired[Union[str, None]]
    archived: NotRequired[bool]


class PlaygroundDelta(TypedDict):
    variant: int
    repetition: int
    text: NotRequired[str]
    reasoning: NotRequired[str]


class PlaygroundDone(TypedDict):
    reason: Literal["finished", "access_ended", "stopping"]


class PlaygroundEnd(TypedDict):
    variant: int
    repetition: int
    output: PlaygroundOutput
    usage: Union[PlaygroundUsage, None]
    cost_usd: Union[float, None]
    latency_ms: float
    first_token_ms: Union[float, None]
    warnings: list[str]
    trace_id: Union[str, None]
    span_id: Union[str, None]


class PlaygroundError(TypedDict):
    variant: int
    repetition: int
    code: Literal["authentication", "quota", "rate_limited", "budget_exhausted", "price_unknown", "model_not_found", "unsupported_parameter", "content_filtered", "context_too_long", "bad_request", "bad_response", "interrupted", "timeout", "unreachable", "forbidden_address", "untrusted_certificate", "proxy", "cancelled", "connection_off", "connection_unconfirmed", "calls_off"]
    message: str
    parameter: NotRequired[str]
    partial: Union[dict[str, Any], None]
    cost_usd: Union[float, None]
    latency_ms: float
    trace_id: Union[str, None]
    span_id: Union[str, None]


PlaygroundEvent = dict[str, Any]


class PlaygroundOutput(TypedDict):
    text: str
    reasoning: str
    tool_calls: list[PlaygroundToolCall]
    signed_reasoning: NotRequired[list[ReasoningContentPart]]
    finish_reason: str
    model: str
    parsed: NotRequired[Any]
    schema_errors: NotRequired[list[PlaygroundSchemaError]]


class PlaygroundRun(TypedDict):
    project: str
    calls: list[dict[str, Any]]
    data: list[Union[PlaygroundEnd, PlaygroundError]]


class PlaygroundRunBodyInput(TypedDict):
    variants: list[VariantInput]
    variables: NotRequired[dict[str, Any]]
    repetitions: NotRequired[int]
    project: NotRequired[str]
    source: NotRequired[str]
    allow_wider_access: NotRequired[bool]
    stream: NotRequired[bool]


class PlaygroundSchemaError(TypedDict):
    path: list[str]
    message: str


class PlaygroundSource(TypedDict):
    variant: PlaygroundSourceVariant
    variables: dict[str, Any]
    not_captured: list[str]
    provider: Union[str, None]
    prompt_version_id: Union[str, None]
    project_id: Union[str, None]


class PlaygroundSourceVariant(TypedDict):
    connection_id: Union[str, None]
    model: Union[str, None]
    label: Union[str, None]
    messages: list[VariantMessage]
    template_format: Literal["MUSTACHE", "F_STRING", "NONE"]
    invocation_parameters: Union[dict[str, Any], None]
    tools: Union[PromptTools, None]
    response_format: Union[PromptResponseFormat, None]


class PlaygroundStart(TypedDict):
    project: str
    calls: list[dict[str, Any]]


class PlaygroundToolCall(TypedDict):
    id: str
    name: str
    arguments: str


class PlaygroundToolCallEvent(TypedDict):
    variant: int
    repetition: int
    tool_call: PlaygroundToolCall


class PlaygroundUsage(TypedDict):
    """Tokens as the provider counted them."""

    input: int
    output: int
    cache_read: NotRequired[int]
    cache_write: NotRequired[int]
    reasoning: NotRequired[int]


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


class PutDatasetEvaluatorBodyInput(TypedDict):
    version_id: NotRequired[Union[str, None]]
    mapping: NotRequired[Union[EvaluatorMappingInput, None]]
    run_automatically: NotRequired[bool]


class PutReviewRuleBodyInput(TypedDict):
    project: str
    filter: str
    sample: NotRequired[float]
    daily_limit: NotRequired[Union[int, None]]
    enabled: NotRequired[bool]


class RawValue(TypedDict):
    attribute: str
    value: Any
    mime: NotRequired[str]


class ReasoningContentPart(TypedDict):
    """What a model thought, in a message of the assistant."""

    type: Literal["reasoning"]
    text: str
    provider: Literal["anthropic", "google", "aws_bedrock"]
    signature: NotRequired[str]
    redacted: NotRequired[str]
    tool_call_id: NotRequired[str]


class ReasoningContentPartInput(TypedDict):
    """What a model thought, in a message of the assistant."""

    type: Literal["reasoning"]
    text: str
    provider: Literal["anthropic", "google", "aws_bedrock"]
    signature: NotRequired[str]
    redacted: NotRequired[str]
    tool_call_id: NotRequired[str]


class ReplaceDashboardBodyInput(TypedDict):
    name: str
    description: NotRequired[Union[str, None]]
    visibility: NotRequired[Literal["shared", "private"]]
    range: NotRequired[str]
    time_zone: NotRequired[Union[str, None]]
    refresh_seconds: NotRequired[Union[Union[Literal[30], Literal[60], Literal[300], Literal[900]], None]]
    filter: NotRequired[Union[str, None]]
    controls: NotRequired[list[str]]
    widgets: NotRequired[list[DashboardWidgetInput]]
    project_id: NotRequired[Union[str, None]]


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


class Review(TypedDict):
    reviewer: Union[Reviewer, None]
    status: Literal["done", "skipped"]
    answers: Union[list[ReviewAnswer], None]
    reason: Union[str, None]
    finished_at: Union[str, None]


class ReviewAdjudicationBodyInput(TypedDict):
    answers: list[ReviewAnswerBodyInput]


class ReviewAgreement(TypedDict):
    items: int
    answers: int
    percent_agreement: ReviewEstimate
    cohens_kappa: Union[ReviewEstimate, None]
    krippendorffs_alpha: ReviewEstimate
    fleiss_kappa: Union[ReviewEstimate, None]


class ReviewAnnotationName(TypedDict):
    name: str
    items: int
    has_labels: bool
    has_scores: bool


class ReviewAnswer(TypedDict):
    annotation_config_id: str
    name: str
    label: Union[str, None]
    score: Union[float, None]
    explanation: Union[str, None]


class ReviewAnswerBody(TypedDict):
    annotation_config_id: str
    label: NotRequired[Union[str, None]]
    score: NotRequired[Union[float, None]]
    explanation: NotRequired[Union[str, None]]


class ReviewAnswerBodyInput(TypedDict):
    annotation_config_id: str
    label: NotRequired[Union[str, None]]
    score: NotRequired[Union[float, None]]
    explanation: NotRequired[Union[str, None]]


class ReviewBodyInput(TypedDict):
    answers: list[ReviewAnswerBodyInput]
    seconds: NotRequired[float]


class ReviewConfusionMatrix(TypedDict):
    labels: list[str]
    counts: list[list[int]]
    pairs: int


class ReviewDifference(TypedDict):
    item_id: str
    target: dict[str, Any]
    gold: dict[str, Any]
    judged: dict[str, Any]


class ReviewDraftBodyInput(TypedDict):
    answers: list[ReviewAnswerBodyInput]
    seconds: NotRequired[float]


class ReviewEstimate(TypedDict):
    state: Literal["measured", "too_few", "undefined"]
    value: Union[float, None]
    interval: Union[dict[str, Any], None]
    pairs: int


class ReviewGoldRun(TypedDict):
    id: str
    queue_id: str
    dataset_id: Union[str, None]
    version_id: Union[str, None]
    annotation_config_id: Union[str, None]
    gold: Literal["all", "decisions"]
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    total_items: int
    done_items: int
    created_examples: int
    updated_examples: int
    unchanged_examples: int
    left_out_items: int
    left_out: list[dict[str, Any]]
    error: Union[str, None]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class ReviewGoldRunPage(TypedDict):
    data: list[ReviewGoldRun]
    next_cursor: Union[str, None]


class ReviewItem(TypedDict):
    id: str
    target: dict[str, Any]
    state: Literal["pending", "in_review", "disagreement", "done", "removed"]
    priority: int
    turns_done: int
    reviews: list[Review]
    decision: Union[dict[str, Any], None]
    created_at: str


class ReviewItemExample(TypedDict):
    project_id: str
    trace_id: str
    span_id: str
    span_node_id: str
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]


class ReviewItemPage(TypedDict):
    data: list[ReviewItem]
    next_cursor: Union[str, None]


class ReviewLabelScore(TypedDict):
    label: str
    precision: Union[float, None]
    recall: Union[float, None]
    f1: Union[float, None]
    gold: int
    judged: int


class ReviewPerson(TypedDict):
    id: str
    username: str


class ReviewQuestion(TypedDict):
    """The annotation config as it was when the queue got it."""

    annotation_config_id: str
    name: str
    type: Literal["CATEGORICAL", "CONTINUOUS", "FREEFORM"]
    description: Union[str, None]
    values: Union[list[dict[str, Any]], None]
    lower_bound: Union[float, None]
    upper_bound: Union[float, None]
    required: bool
    note: bool
    tolerance: float


class ReviewQuestionAgreement(TypedDict):
    annotation_config_id: str
    name: str
    type: Literal["CATEGORICAL", "CONTINUOUS"]
    level: Literal["nominal", "ordinal", "interval"]
    agreement: ReviewAgreement
    reviewer_pairs: list[ReviewerPair]
    reviewer_pairs_left_out: int
    against_gold: list[ReviewerAgainstGold]


class ReviewQuestionBodyInput(TypedDict):
    annotation_config_id: str
    required: NotRequired[bool]
    note: NotRequired[bool]
    tolerance: NotRequired[float]


class ReviewQueue(TypedDict):
    id: str
    name: str
    description: Union[str, None]
    guidance: Union[str, None]
    target: Literal["span", "trace", "session", "experiment_run"]
    questions: list[ReviewQuestion]
    reviews_required: int
    reviewers: Union[list[str], None]
    adjudicators: list[str]
    people: list[ReviewPerson]
    blind: bool
    hide_model_annotations: bool
    order: Literal["oldest", "newest", "random", "priority"]
    seed: int
    lease_minutes: int
    due_at: Union[str, None]
    counts: dict[str, Any]
    created_at: str
    updated_at: str
    created_by: Union[str, None]
    archived_at: Union[str, None]


class ReviewQueueAgreement(TypedDict):
    reviews_required: int
    items: int
    disagreements_left_out: int
    overall: Union[ReviewAgreement, None]
    questions: list[ReviewQuestionAgreement]


class ReviewQueueCalibration(TypedDict):
    annotation_name: str
    annotation_config_id: str
    name: str
    type: Literal["CATEGORICAL", "CONTINUOUS"]
    gold_items: int
    compared: int
    differing: int
    percent_agreement: ReviewEstimate
    cohens_kappa: Union[ReviewEstimate, None]
    krippendorffs_alpha: ReviewEstimate
    matrix: Union[ReviewConfusionMatrix, None]
    labels: list[ReviewLabelScore]
    differences: list[ReviewDifference]


class ReviewQueueCalibrationPage(TypedDict):
    data: ReviewQueueCalibration
    next_cursor: Union[str, None]


class ReviewQueuePage(TypedDict):
    data: list[ReviewQueue]
    next_cursor: Union[str, None]


class ReviewQueueProgress(TypedDict):
    """Of items in projects that the caller sees."""

    items: int
    done: int
    left: int
    disagreements: int
    removed: int
    reviews: int
    reviews_left: int
    skips: int
    decisions: int
    median_seconds: Union[float, None]
    reviewers: list[dict[str, Any]]
    days: list[dict[str, Any]]
    estimated_end: Union[str, None]


class ReviewRule(TypedDict):
    project_id: str
    filter: str
    sample: float
    daily_limit: Union[int, None]
    enabled: bool
    error: Union[str, None]
    added_today: int
    added: int
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class ReviewRulePreview(TypedDict):
    matching: int
    sampled: int
    is_complete: bool


class ReviewSkipBodyInput(TypedDict):
    reason: str


class ReviewTargetInput(TypedDict):
    span_id: NotRequired[str]
    trace_id: NotRequired[str]
    session_id: NotRequired[str]
    experiment_run_id: NotRequired[str]
    project: NotRequired[str]


class ReviewTurn(TypedDict):
    item: ReviewItem
    annotations: list[ReviewTurnAnnotation]
    reserved_until: str
    draft: Union[dict[str, Any], None]


class ReviewTurnAnnotation(TypedDict):
    id: str
    target: Literal["span", "trace", "session", "experiment_run"]
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]
    result: AnnotationResult
    identifier: str
    source: Literal["API", "APP"]
    user_id: Union[str, None]
    created_at: str
    updated_at: str


class Reviewer(TypedDict):
    """Null for an account that was deleted, and while authentication is off."""

    id: Union[str, None]
    username: Union[str, None]


class ReviewerAgainstGold(TypedDict):
    """Gold has the rows of the matrix: what adjudicators decided."""

    reviewer: Reviewer
    matrix: ReviewConfusionMatrix
    percent_agreement: ReviewEstimate
    cohens_kappa: ReviewEstimate


class ReviewerPair(TypedDict):
    reviewers: list[Reviewer]
    matrix: ReviewConfusionMatrix
    percent_agreement: ReviewEstimate
    cohens_kappa: ReviewEstimate


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


class ScoreEvaluatorOutput(TypedDict):
    name: str
    optimization_direction: Literal["MINIMIZE", "MAXIMIZE", "NONE"]
    explanation: Literal["none", "before", "after"]
    type: Literal["score"]
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    integer: bool
    thresholds: NotRequired[list[dict[str, Any]]]


class ScoreEvaluatorOutputInput(TypedDict):
    name: str
    optimization_direction: NotRequired[Literal["MINIMIZE", "MAXIMIZE", "NONE"]]
    explanation: NotRequired[Literal["none", "before", "after"]]
    type: Literal["score"]
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    integer: NotRequired[bool]
    thresholds: NotRequired[list[dict[str, Any]]]


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


class StartGoldRunBodyInput(TypedDict):
    dataset_id: NotRequired[str]
    dataset_name: NotRequired[str]
    project: NotRequired[Union[str, None]]
    annotation_config_id: NotRequired[str]
    gold: NotRequired[Literal["all", "decisions"]]
    allow_wider_access: NotRequired[bool]


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


class StoredDashboardWidget(TypedDict):
    key: str
    kind: Literal["time_series", "bar", "table", "number", "histogram", "heatmap", "text"]
    title: str
    query: Union[dict[str, Any], None]
    text: Union[str, None]
    display: dict[str, Any]
    layout: dict[str, Any]


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


class TestModelConnectionBodyInput(TypedDict):
    model: NotRequired[Union[str, None]]


class TestNewModelConnectionBodyInput(TypedDict):
    name: NotRequired[str]
    kind: Literal["openai", "openai_compatible", "azure_openai", "anthropic", "google", "google_vertex", "aws_bedrock"]
    base_url: NotRequired[Union[str, None]]
    api: NotRequired[Union[Literal["responses", "chat_completions"], None]]
    settings: NotRequired[Union[dict[str, Any], None]]
    models: NotRequired[Union[list[str], None]]
    default_model: NotRequired[Union[str, None]]
    enabled: NotRequired[bool]
    use_by: NotRequired[Literal["members", "admins"]]
    rules_by: NotRequired[Literal["members", "admins"]]
    max_concurrency: NotRequired[int]
    requests_per_minute: NotRequired[Union[int, None]]
    tokens_per_minute: NotRequired[Union[int, None]]
    monthly_budget_usd: NotRequired[Union[float, None]]
    timeout_seconds: NotRequired[int]
    credentials: NotRequired[Union[dict[str, Any], None]]
    headers: NotRequired[Union[dict[str, Any], None]]
    model: NotRequired[Union[str, None]]


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


class UnmergeErrorGroupBodyInput(TypedDict):
    fingerprints: list[str]


class UpdateAnnotationInput(TypedDict):
    annotator_kind: NotRequired[Literal["LLM", "CODE", "HUMAN", "AGENT", "DECISION"]]
    result: NotRequired[Union[NewAnnotationResultInput, None]]
    metadata: NotRequired[Union[dict[str, Any], None]]


class UpdateEvaluatorBodyInput(TypedDict):
    name: NotRequired[str]
    description: NotRequired[Union[str, None]]
    is_archived: NotRequired[bool]


class UpdateModelConnectionBodyInput(TypedDict):
    name: NotRequired[str]
    kind: NotRequired[Literal["openai", "openai_compatible", "azure_openai", "anthropic", "google", "google_vertex", "aws_bedrock"]]
    base_url: NotRequired[Union[str, None]]
    api: NotRequired[Union[Literal["responses", "chat_completions"], None]]
    settings: NotRequired[Union[dict[str, Any], None]]
    models: NotRequired[Union[list[str], None]]
    default_model: NotRequired[Union[str, None]]
    enabled: NotRequired[bool]
    use_by: NotRequired[Literal["members", "admins"]]
    rules_by: NotRequired[Literal["members", "admins"]]
    max_concurrency: NotRequired[int]
    requests_per_minute: NotRequired[Union[int, None]]
    tokens_per_minute: NotRequired[Union[int, None]]
    monthly_budget_usd: NotRequired[Union[float, None]]
    timeout_seconds: NotRequired[int]
    credentials: NotRequired[Union[dict[str, Any], None]]
    headers: NotRequired[Union[dict[str, Any], None]]


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


class VariantInput(TypedDict):
    connection_id: str
    model: NotRequired[str]
    label: NotRequired[str]
    prompt_version_id: NotRequired[str]
    messages: NotRequired[list[VariantMessageInput]]
    template_format: NotRequired[Literal["MUSTACHE", "F_STRING", "NONE"]]
    invocation_parameters: NotRequired[dict[str, Any]]
    tools: NotRequired[PromptToolsInput]
    response_format: NotRequired[PromptResponseFormatInput]


class VariantMessage(TypedDict):
    """As messages of prompt versions, with images and reasoning."""

    role: Literal["user", "assistant", "model", "ai", "tool", "system", "developer"]
    content: Union[str, list[Union[TextContentPart, ToolCallContentPart, ToolResultContentPart, ImageContentPart, ReasoningContentPart]]]


class VariantMessageInput(TypedDict):
    """As messages of prompt versions, with images and reasoning."""

    role: Literal["user", "assistant", "model", "ai", "tool", "system", "developer"]
    content: Union[str, list[Union[TextContentPartInput, ToolCallContentPartInput, ToolResultContentPartInput, ImageContentPartInput, ReasoningContentPartInput]]]


class View(TypedDict):
    id: str
    name: str
    page: Literal["traces", "spans", "sessions", "users", "errors"]
    project_id: Union[str, None]
    state: ViewState
    visibility: Literal["shared", "private"]
    owner_id: Union[str, None]
    created_at: str
    updated_at: str


class ViewPage(TypedDict):
    data: list[View]
    next_cursor: Union[str, None]


class ViewState(TypedDict):
    """What the address of a list holds, by the names of the list's parameters. Each page has its own parts."""

    filter: NotRequired[str]
    q: NotRequired[str]
    columns: NotRequired[list[str]]
    sort: NotRequired[str]
    order: NotRequired[Literal["asc", "desc"]]
    range: NotRequired[str]
    start_time: NotRequired[str]
    end_time: NotRequired[str]
    error: NotRequired[bool]
    min_latency_ms: NotRequired[float]
    max_latency_ms: NotRequired[float]
    name: NotRequired[list[str]]
    user_id: NotRequired[list[str]]
    session_id: NotRequired[list[str]]
    model: NotRequired[list[str]]
    span_kind: NotRequired[list[str]]
    state: NotRequired[Literal["open", "resolved", "ignored"]]
    error_kind: NotRequired[list[str]]
    assignee: NotRequired[str]
    release: NotRequired[list[str]]
    environment: NotRequired[list[str]]


class ViewStateInput(TypedDict):
    """What the address of a list holds, by the names of the list's parameters. Each page has its own parts."""

    filter: NotRequired[str]
    q: NotRequired[str]
    columns: NotRequired[list[str]]
    sort: NotRequired[str]
    order: NotRequired[Literal["asc", "desc"]]
    range: NotRequired[str]
    start_time: NotRequired[str]
    end_time: NotRequired[str]
    error: NotRequired[bool]
    min_latency_ms: NotRequired[float]
    max_latency_ms: NotRequired[float]
    name: NotRequired[list[str]]
    user_id: NotRequired[list[str]]
    session_id: NotRequired[list[str]]
    model: NotRequired[list[str]]
    span_kind: NotRequired[list[str]]
    state: NotRequired[Literal["open", "resolved", "ignored"]]
    error_kind: NotRequired[list[str]]
    assignee: NotRequired[str]
    release: NotRequired[list[str]]
    environment: NotRequired[list[str]]


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
