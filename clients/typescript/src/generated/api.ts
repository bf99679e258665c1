// Generated from docs/openapi.json by `npm run generate`.

export type AccessBatchResult = {
	/** As it was sent. */
	project: string;
	outcome: "changed" | "unchanged" | "refused";
	/** Why it was refused. */
	code?: string;
	message?: string;
};

export type AccessChangeInput = {
	access?: "open" | "restricted";
	set?: Array<{
		subject: SubjectBodyInput;
		role: "viewer" | "annotator" | "editor" | "manager";
	}>;
	remove?: Array<SubjectBodyInput>;
};

export type AccessCheck = {
	subject: {
		type: "user" | "team" | "api_key" | "oauth2_grant";
		id: string;
		name: string;
	};
	home: AccessHome;
	sees: boolean;
	/** The highest that was given. */
	role: "viewer" | "annotator" | "editor" | "manager" | null;
	/** What that counts as; null where the home does not exist for them. */
	counts_as: "viewer" | "annotator" | "editor" | "manager" | null;
	may: AccessMay;
	because: Array<AccessStep>;
	not: Array<AccessStep>;
	/** Of a key or program. */
	last_used_at?: string;
};

export type AccessGrant = {
	subject: Subject;
	role: "viewer" | "annotator" | "editor" | "manager";
	/** Lower than `role` where the person's role in the whole service is. */
	counts_as: "viewer" | "annotator" | "editor" | "manager";
	by: "direct" | "rule";
	rule?: {
		id: string;
		pattern: string;
	};
};

export type AccessHome = {
	type: "project" | "library";
	id?: string;
	name: string;
};

export type AccessMay = {
	read: boolean;
	ingest: boolean;
	annotate: boolean;
	write: boolean;
	manage: boolean;
};

export type AccessPerson = {
	id: string;
	username: string;
	/** The highest that they were given. */
	role: "viewer" | "annotator" | "editor" | "manager";
	/** What they may do here. */
	counts_as: "viewer" | "annotator" | "editor" | "manager";
	because: Array<AccessReason>;
};

export type AccessPersonPage = {
	data: Array<AccessPerson>;
	next_cursor: string | null;
};

export type AccessPolicy = {
	/** What a new project begins with. */
	default_project_access: {
		value: "open" | "restricted";
		/** Set by `variable`, and not to be changed here. */
		pinned: boolean;
		variable: string;
	};
	/** What a MEMBER may do where a project is open. */
	open_role_of_members: {
		value: "viewer" | "annotator" | "editor";
		/** Set by `variable`, and not to be changed here. */
		pinned: boolean;
		variable: string;
	};
	/** Whether a MEMBER may create projects, also by sending spans. */
	members_create_projects: {
		value: boolean;
		/** Set by `variable`, and not to be changed here. */
		pinned: boolean;
		variable: string;
	};
	/** Days after which a new API key expires at the latest; null for no end. */
	max_key_days: {
		value: number | null;
		/** Set by `variable`, and not to be changed here. */
		pinned: boolean;
		variable: string;
	};
};

export type AccessPreview = {
	/** As it was sent. */
	project: string;
	effects?: RestrictingEffects;
	/** Why it cannot be changed. */
	refused?: {
		code: string;
		message: string;
	};
};

export type AccessReason = {
	/** `admin` and `system` by the role in the whole service, `open` as the home is open, `direct` by a grant to the person, `team` by one to a team, `rule` by a rule. */
	kind: "admin" | "system" | "open" | "direct" | "team" | "rule";
	/** Of the team, or the pattern of the rule. */
	name?: string;
	/** With `rule`: the name of the team that has it by the rule. */
	team?: string;
	role: "viewer" | "annotator" | "editor" | "manager";
	/** Lower than `role` where the person's role in the whole service is. */
	counts_as: "viewer" | "annotator" | "editor" | "manager";
};

export type AccessRule = {
	id: string;
	pattern: string;
	/** What a new project begins with that fits; of several rules one that says restricted wins. */
	access_of_new: "open" | "restricted" | null;
	grants: Array<{
		subject: Subject;
		role: "viewer" | "annotator" | "editor" | "manager";
	}>;
	description: string | null;
	/** Projects that fit now. */
	project_count: number;
	created_at: string;
	updated_at: string;
};

export type AccessRulePage = {
	data: Array<AccessRule>;
	next_cursor: string | null;
};

export type AccessRulePreview = {
	project_count: number;
	/** At most 100, newest first. */
	projects: Array<{
		id: string;
		name: string;
	}>;
};

export type AccessStep = {
	/** Stable, for programs. */
	code: string;
	text: string;
	/** Path of the page where it is set. */
	link?: string;
};

export type AgentCall = {
	id: string;
	/** Of its start. */
	time: string;
	tool: string;
	/** As the program calls itself. */
	client_name: string | null;
	client_version: string | null;
	/** Null while authentication is off. */
	user: {
		id: string;
		username: string;
		email: string | null;
	} | null;
	outcome: "ok" | "partial" | "refused" | "too_slow" | "cancelled" | "failed";
	duration_ms: number;
};

export type AgentCallPage = {
	data: Array<AgentCall>;
	next_cursor: string | null;
};

export type AnnotationConfigBodyInput = {
	name: string;
	description?: string | null;
	type: "CATEGORICAL";
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE";
	values: Array<{
		label: string;
		score?: number | null;
	}>;
} | {
	name: string;
	description?: string | null;
	type: "CONTINUOUS";
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE";
	lower_bound?: number | null;
	upper_bound?: number | null;
} | {
	name: string;
	description?: string | null;
	type: "FREEFORM";
	optimization_direction?: "MINIMIZE" | "MAXIMIZE" | "NONE" | null;
	threshold?: number | null;
	lower_bound?: number | null;
	upper_bound?: number | null;
};

export type AnnotationConfigPage = {
	data: Array<CategoricalAnnotationConfig | ContinuousAnnotationConfig | FreeformAnnotationConfig>;
	next_cursor: string | null;
};

export type AnnotationNames = {
	data: Array<{
		target: "span" | "trace" | "session" | "document";
		name: string;
		has_scores: boolean;
		has_labels: boolean;
	}>;
};

export type AnnotationOfSelectionInput = {
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	/** An object. */
	metadata?: { [key: string]: unknown } | null;
	/** Distinguishes annotations of one name on one target; the same identifier again replaces the annotation. */
	identifier?: string | null;
};

export type AnnotationResult = {
	label: string | null;
	score: number | null;
	explanation: string | null;
};

export type AnonymousUser = {
	auth_method: "ANONYMOUS";
};

export type AuditEvent = {
	id: string;
	time: string;
	action: string;
	outcome: "success" | "failure" | "denied";
	code?: string;
	actor: {
		/** session, user_key, system_key, oauth_token, admin_secret, anonymous, or none */
		kind: string;
		id?: string;
		username?: string;
	};
	target?: {
		type: string;
		id?: string;
		name?: string;
	};
	ip?: string;
	user_agent?: string;
	request_id?: string;
	details?: { [key: string]: unknown };
};

export type AuditEventPage = {
	data: Array<AuditEvent>;
	next_cursor: string | null;
};

export type BulkRun = {
	id: string;
	project_id: string;
	action: "delete" | "move" | "annotate" | "add_to_dataset";
	/** Which list the selection is from. */
	kind: "span" | "trace" | "session";
	/** False for ids. */
	by_filter: boolean;
	destination_project_id: string | null;
	dataset_id: string | null;
	annotation_name: string | null;
	state: "waiting" | "running" | "done" | "failed" | "cancelled";
	/** Null until they are counted. */
	total_items: number | null;
	/** At the end they may be fewer than the total: what no longer exists or matches is left alone. */
	done_items: number;
	failed_items: number;
	/** The first failures, with global ids of the items. */
	failures: Array<{
		id: string;
		reason: string;
	}>;
	/** Why the run failed. */
	error: string | null;
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type BulkRunPage = {
	data: Array<BulkRun>;
	next_cursor: string | null;
};

export type CategoricalAnnotationConfig = {
	id: string;
	name: string;
	description: string | null;
	type: "CATEGORICAL";
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE";
	values: Array<{
		label: string;
		score: number | null;
	}>;
};

export type ChangedHomeAccess = {
	access: "open" | "restricted";
	/** Where the access of a project is set that was made for a dataset's experiment. */
	follows?: {
		type: "project" | "library";
		id?: string;
		name: string;
	};
	/** For managers. */
	grants?: Array<AccessGrant>;
	/** For others: some of those whom they may ask. */
	managers?: Array<Subject>;
	own: {
		role: "viewer" | "annotator" | "editor" | "manager" | null;
		because: Array<AccessReason>;
	};
	may_manage: boolean;
	/** People who have a role here now. */
	people_count: number;
};

export type CheckedHome = {
	home: AccessHome;
	sees: boolean;
	role: "viewer" | "annotator" | "editor" | "manager" | null;
	counts_as: "viewer" | "annotator" | "editor" | "manager" | null;
	may: AccessMay;
	/** The shortest. */
	reason: string;
};

export type CheckedHomePage = {
	data: Array<CheckedHome>;
	next_cursor: string | null;
};

/** Equal for spans with equal content, whatever the ids of their calls; null for what a span does not have. */
export type ContentDigests = {
	input: string | null;
	output: string | null;
	parameters: string | null;
};

export type ContinuousAnnotationConfig = {
	id: string;
	name: string;
	description: string | null;
	type: "CONTINUOUS";
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE";
	lower_bound: number | null;
	upper_bound: number | null;
};

export type CostRecomputation = {
	id: string;
	project_id: string;
	start_time: string | null;
	end_time: string | null;
	state: "waiting" | "running" | "done" | "failed" | "cancelled";
	/** Spans to check. */
	total_spans: number;
	seen_spans: number;
	/** Spans whose cost changed. */
	changed_spans: number;
	/** 0 to 1. */
	progress: number;
	error: string | null;
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type CostRecomputationPage = {
	data: Array<CostRecomputation>;
	next_cursor: string | null;
};

export type CreateBulkRunBodyInput = {
	action: "delete";
	/** Which list the selection is from. */
	kind: "span" | "trace" | "session";
	/** Ids, or all that match a filter and had arrived when the run was started. */
	selection: SelectionInput;
} | {
	action: "move";
	kind: "trace";
	/** Ids, or all that match a filter and had arrived when the run was started. */
	selection: SelectionInput;
	/** Name or id. */
	destination_project_identifier: string;
	/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
	allow_wider_access?: boolean;
} | {
	action: "annotate";
	/** Which list the selection is from. */
	kind: "span" | "trace" | "session";
	/** Ids, or all that match a filter and had arrived when the run was started. */
	selection: SelectionInput;
	annotation: AnnotationOfSelectionInput;
} | {
	action: "add_to_dataset";
	/** Of a trace, its root span becomes an example. */
	kind: "span" | "trace";
	/** Ids, or all that match a filter and had arrived when the run was started. */
	selection: SelectionInput;
	dataset_id: string;
	splits?: Array<string> | null;
	/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
	allow_wider_access?: boolean;
};

export type CreateCostRecomputationBodyInput = {
	/** Only of spans that start from then on. */
	start_time?: string | null;
	/** Only of spans that start before. */
	end_time?: string | null;
};

export type CreateModelPriceBodyInput = {
	/** What people call it; the pattern when absent. */
	name?: string | null;
	/** `exact` when absent. */
	match?: "exact" | "prefix" | "suffix" | "contains" | "regex" | null;
	pattern: string;
	/** Only of spans that name this provider. */
	provider?: string | null;
	/** In force for spans that start from then on. */
	start_time?: string | null;
	/** US dollars per million tokens; input or output at least. */
	prices: {
		input?: number;
		output?: number;
		cache_read?: number;
		cache_write?: number;
		reasoning?: number;
	};
};

export type CreateRetentionPolicyBodyInput = {
	name: string;
	/** When it runs, in UTC; 0 3 * * * when absent. */
	cron?: string | null;
	max_days?: number | null;
	max_traces?: number | null;
	/** False when absent. */
	keep_annotated?: boolean | null;
};

export type CreateStorageRepairBodyInput = {
	/** `totals`: rows of traces, and hours, that differ from their spans. `orphans`: what belongs to nothing any more. `moves`: what is in two places, or in another one than is said of it. */
	kind: "totals" | "orphans" | "moves" | "all";
	/** Name or id; all projects when absent. */
	project_id?: string | null;
	/** Only of spans that start from then on, and their hours. */
	start_time?: string | null;
	/** Only of spans that start before. */
	end_time?: string | null;
	/** Only look. */
	dry_run?: boolean | null;
};

export type CreatedSystemApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to distinguish keys: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Null: all that its owner may. */
	permissions: Array<"read" | "ingest" | "annotate" | "write"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	ip_ranges: Array<string> | null;
	allowed_origins: Array<string> | null;
	limits: {
		requests_per_minute: number | null;
		spans_per_day: number | null;
	};
	/** Spans sent since midnight UTC, some seconds ago; null without a limit on them. */
	spans_today: number | null;
	last_used_ip: string | null;
	/** To the minute. */
	last_refused_at: string | null;
	/** Code of the error. */
	last_refused_code: string | null;
	/** The key in whose place a rotation put this one. */
	replaces: string | null;
	replaced_by: string | null;
	/** Absent if the user was deleted; the key outlives them. */
	created_by?: {
		id: string;
		username: string;
	};
	/** The key itself. It is shown only this once and not stored. */
	key: string;
};

export type CreatedUserApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to distinguish keys: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Null: all that its owner may. */
	permissions: Array<"read" | "ingest" | "annotate" | "write"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	ip_ranges: Array<string> | null;
	allowed_origins: Array<string> | null;
	limits: {
		requests_per_minute: number | null;
		spans_per_day: number | null;
	};
	/** Spans sent since midnight UTC, some seconds ago; null without a limit on them. */
	spans_today: number | null;
	last_used_ip: string | null;
	/** To the minute. */
	last_refused_at: string | null;
	/** Code of the error. */
	last_refused_code: string | null;
	/** The key in whose place a rotation put this one. */
	replaces: string | null;
	replaced_by: string | null;
	/** The key itself. It is shown only this once and not stored. */
	key: string;
};

export type Dataset = {
	id: string;
	name: string;
	description: string | null;
	metadata: { [key: string]: unknown };
	created_at: string;
	updated_at: string;
	/** Examples of the newest version. */
	example_count: number;
	/** The project where it lives; absent for the library. */
	project_id?: string;
};

export type DatasetChange = {
	dataset_id: string;
	version_id: string;
	num_created_examples: number;
	num_updated_examples: number;
	num_deleted_examples: number;
};

export type DatasetExampleInSplits = {
	/** The id that the caller gave it; `node_id` when there is none. */
	id: string;
	node_id: string;
	input: { [key: string]: unknown };
	output: { [key: string]: unknown };
	metadata: { [key: string]: unknown };
	updated_at: string;
	/** The span it was made of. */
	source: DatasetExampleSource | null;
	/** Names. */
	splits: Array<string>;
};

export type DatasetExampleRevision = {
	id: string;
	example_id: string;
	/** The version that made it. */
	version_id: string;
	/** The version that replaced or deleted it; null while it lives. */
	until_version_id: string | null;
	kind: "CREATE" | "PATCH";
	input: { [key: string]: unknown };
	output: { [key: string]: unknown };
	metadata: { [key: string]: unknown };
	created_at: string;
};

export type DatasetExampleRevisionPage = {
	data: Array<DatasetExampleRevision>;
	next_cursor: string | null;
};

export type DatasetExampleSource = {
	/** 16 hex digits, or the text that was sent in their place. */
	span_id: string;
	span_node_id: string;
};

export type DatasetExamples = {
	data: {
		dataset_id: string;
		version_id: string;
		/** Names of the splits that were asked for. */
		filtered_splits: Array<string>;
		examples: Array<DatasetExampleInSplits>;
	};
	/** When `limit` or `cursor` was given. */
	next_cursor?: string | null;
};

export type DatasetLabel = {
	id: string;
	name: string;
	description: string | null;
	color: string;
};

export type DatasetLabelPage = {
	data: Array<DatasetLabel>;
	next_cursor: string | null;
};

export type DatasetPage = {
	data: Array<Dataset>;
	next_cursor: string | null;
};

export type DatasetSplit = {
	id: string;
	name: string;
	description: string | null;
	color: string;
	metadata: { [key: string]: unknown };
	example_count: number;
	created_at: string;
	updated_at: string;
};

export type DatasetSplitPage = {
	data: Array<DatasetSplit>;
	next_cursor: string | null;
};

export type DatasetVersion = {
	version_id: string;
	description: string | null;
	metadata: { [key: string]: unknown };
	created_at: string;
	created_count: number;
	/** Examples with another content or other splits than before. */
	updated_count: number;
	deleted_count: number;
	/** Examples that the version holds. */
	example_count: number;
};

export type DatasetVersionPage = {
	data: Array<DatasetVersion>;
	next_cursor: string | null;
};

export type DeletedTeam = {
	/** Where people lost their role, at most 200. */
	homes: Array<TeamHome>;
};

export type DocumentAnnotation = {
	id: string;
	created_at: string;
	updated_at: string;
	/** APP: by somebody who was logged in. */
	source: "API" | "APP";
	/** The owner: the author, or the admin who overwrote it; null without authentication. */
	user_id: string | null;
	/** `note` for notes. */
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result: AnnotationResult;
	metadata: { [key: string]: unknown };
	identifier: string;
	span_id: string;
	document_position: number;
};

export type DocumentAnnotationPage = {
	data: Array<DocumentAnnotation>;
	next_cursor: string | null;
};

export type EffectiveSetting = {
	name: string;
	value: string;
};

export type Experiment = {
	id: string;
	dataset_id: string;
	dataset_version_id: string;
	name: string;
	description: string | null;
	repetitions: number;
	metadata: { [key: string]: unknown };
	/** Where the spans of its tasks go; null when the project was deleted. */
	project_name: string | null;
	created_at: string;
	updated_at: string;
	example_count: number;
	successful_run_count: number;
	failed_run_count: number;
	/** Repetitions of examples that have no run. */
	missing_run_count: number;
	/** Who made it. */
	user_id: string | null;
	/** Names of the tags that are on this experiment. */
	tags: Array<string>;
	/** By the evaluations' name; of at most 100 names. */
	scores: { [key: string]: ExperimentScore };
	/** Of all runs, also those that failed. */
	average_latency_ms: number | null;
	/** The part of the runs that failed, 0 to 1. */
	error_rate: number | null;
	/** US dollars, of all traces of its project; null when nothing is known. */
	total_cost: number | null;
	/** Of all traces of its project. */
	total_tokens: number;
};

export type ExperimentComparison = {
	data: Array<{
		example: ExperimentExample;
		experiments: Array<{
			experiment_id: string;
			/** One for each repetition. */
			runs: Array<{
				id: string;
				repetition_number: number;
				output: unknown;
				error: string | null;
				latency_ms: number;
				trace_id: string | null;
				evaluations: Array<ExperimentRunEvaluation>;
			}>;
			/** Over the repetitions. */
			scores: { [key: string]: {
				mean: number;
				count: number;
			} };
			/** The mean less the base's, of metrics that both have. */
			deltas: { [key: string]: number };
		}>;
	}>;
	/** Over all examples, not only those of the page. */
	summary: Array<{
		experiment_id: string;
		metrics: { [key: string]: {
			/** Of the means of the examples. */
			mean: number | null;
			/** Examples that have the metric. */
			count: number;
			standard_error: number | null;
			/** 95 %, over the examples, within the lowest and highest score (0 and 1 for scores that are only those); null for fewer than ten. */
			confidence_interval: Array<unknown> | null;
			/** Examples that are better than in the base. */
			improved: number;
			/** Examples that are worse than in the base. */
			regressed: number;
			equal: number;
			/** Examples that lack the metric here or in the base. */
			missing: number;
		} };
	}>;
	next_cursor: string | null;
};

export type ExperimentExample = {
	id: string;
	node_id: string;
	input: { [key: string]: unknown };
	output: { [key: string]: unknown };
	metadata: { [key: string]: unknown };
	updated_at: string;
	source: null;
};

export type ExperimentPage = {
	data: Array<Experiment>;
	next_cursor: string | null;
};

export type ExperimentRun = {
	id: string;
	experiment_id: string;
	dataset_example_id: string;
	/** Any JSON. */
	output: unknown;
	repetition_number: number;
	start_time: string;
	end_time: string;
	trace_id: string | null;
	error: string | null;
};

export type ExperimentRunEvaluation = {
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	label: string | null;
	score: number | null;
	explanation: string | null;
	trace_id: string | null;
	error: string | null;
	metadata: { [key: string]: unknown };
	start_time: string;
	end_time: string;
};

export type ExperimentRunPage = {
	data: Array<ExperimentRun>;
	next_cursor: string | null;
};

export type ExperimentRunRecord = {
	example_id: string;
	repetition_number: number;
	input: { [key: string]: unknown };
	reference_output: { [key: string]: unknown };
	output: unknown;
	error: string | null;
	latency_ms: number;
	start_time: string;
	end_time: string;
	trace_id: string | null;
	prompt_token_count: number | null;
	completion_token_count: number | null;
	annotations: Array<ExperimentRunEvaluation>;
};

export type ExperimentScore = {
	/** Of the means of the examples, so that each example counts alike. */
	mean: number;
	/** Examples that have the score. */
	count: number;
	/** Of the mean; null for a single example. */
	standard_error: number | null;
};

export type ExperimentTag = {
	id: string;
	name: string;
	description: string | null;
};

export type ExternalGroup = {
	from: string;
	group: string;
};

export type ExternalGroupInput = {
	from: string;
	group: string;
};

export type FilterWarning = {
	message: string;
	/** Position of the first character, from 0. */
	position: number;
	length: number;
	/** What to write there instead. */
	suggestions: Array<string>;
};

export type FreeformAnnotationConfig = {
	id: string;
	name: string;
	description: string | null;
	type: "FREEFORM";
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE" | null;
	threshold: number | null;
	lower_bound: number | null;
	upper_bound: number | null;
};

export type HomeAccess = {
	access: "open" | "restricted";
	/** Where the access of a project is set that was made for a dataset's experiment. */
	follows?: {
		type: "project" | "library";
		id?: string;
		name: string;
	};
	/** For managers. */
	grants?: Array<AccessGrant>;
	/** For others: some of those whom they may ask. */
	managers?: Array<Subject>;
	own: {
		role: "viewer" | "annotator" | "editor" | "manager" | null;
		because: Array<AccessReason>;
	};
	may_manage: boolean;
};

export type IncompleteEvaluationPage = {
	data: Array<{
		experiment_run: ExperimentRun;
		dataset_example: ExperimentExample;
		/** Those that the run has no successful evaluation of. */
		evaluation_names: Array<string>;
	}>;
	next_cursor: string | null;
};

export type IncompleteRunPage = {
	data: Array<{
		dataset_example: ExperimentExample;
		/** Those that have no run, or one that failed. */
		repetition_numbers: Array<number>;
	}>;
	next_cursor: string | null;
};

export type IngestHealth = {
	started_at: string;
	/** Since the start, duplicates included. */
	accepted_spans: number;
	/** Accepted again and already stored, as after a retry. */
	duplicate_spans: number;
	accepted_log_records: number;
	/** Refused because they are neither GenAI events of a span nor events of a coding agent that are kept. */
	ignored_log_records: number;
	/** Left out and named in the answer, by reason. */
	rejected_spans: { [key: string]: number };
	/** Answered with an error, by reason. */
	refused_requests: { [key: string]: number };
	queued_requests: number;
	queued_bytes: number;
	queue_limit_bytes: number;
	commits: number;
	/** Last 1,000 commits. */
	commit_ms: {
		p50: number;
		p99: number;
		max: number;
	} | null;
	last_commit_at: string | null;
	last_error: {
		at: string;
		message: string;
	} | null;
};

export type InsertedAnnotation = {
	id: string;
};

export type KeyOfProject = {
	id: string;
	kind: "user" | "system";
	name: string;
	/** Beginning and end of the key, to distinguish keys. */
	hint: string;
	/** Username; null for keys of the system. */
	owner: string | null;
	/** Null: all that its owner may. */
	permissions: Array<string> | null;
	expires_at: string | null;
	/** To the minute. */
	last_used_at: string | null;
};

export type KeyOfProjectPage = {
	data: Array<KeyOfProject>;
	next_cursor: string | null;
};

export type ListedPrompt = {
	id: string;
	name: string;
	description?: string | null;
	source_prompt_id?: string | null;
	metadata: { [key: string]: unknown };
	created_at: string;
	updated_at: string;
	/** The project where it lives; absent for the library. */
	project_id?: string;
	version_count: number;
	latest_version: {
		id: string;
		model_name: string;
		created_at: string;
		user_id: string | null;
	} | null;
	/** Names of the tags of all its versions. */
	tags: Array<string>;
};

export type ListedTeam = {
	id: string;
	name: string;
	description: string | null;
	/** Who made the team, and says its name. */
	source: "manual" | "scim";
	member_count: number;
	created_at: string;
	updated_at: string;
	/** Groups at providers and in the directory that are the team's. They are kept; this version makes nobody a member by them. For admins. */
	external_groups?: Array<ExternalGroup>;
	/** Usernames, at most 100; for admins and members of the team. */
	members?: Array<string>;
};

export type MailState = {
	/** Name and port; null where no mails are sent. */
	server: string | null;
	sender: string;
	/** Whether mails can be sent, and their sender is one that others accept. */
	steps: Array<SignInStep>;
};

export type Message = {
	role: string;
	text?: string;
	tool_calls?: Array<{
		id?: string;
		name?: string;
		arguments?: unknown;
	}>;
	tool_call_id?: string;
	/** Number of image parts. */
	images?: number;
	image_urls?: Array<string>;
	/** Audio, video and files. */
	media?: Array<{
		kind: "audio" | "video" | "file";
		mime?: string;
		/** data: or https:, if it was sent. */
		url?: string;
		name?: string;
		id?: string;
		transcript?: string;
	}>;
	reasoning?: string;
	name?: string;
};

export type Metrics = {
	data: Array<MetricsPoint>;
	start_time: string;
	end_time: string;
	bucket: "minute" | "hour" | "day";
};

export type MetricsPoint = {
	/** Start of the bucket, aligned to UTC; the first and last bucket count whole. */
	start_time: string;
	/** Value of `group_by`; null without one. */
	group: string | null;
	trace_count: number;
	span_count: number;
	/** Spans without an end. */
	running_count: number;
	error_count: number;
	/** Of spans with an end, within 5 %. */
	latency_ms: {
		p50: number;
		p95: number;
		p99: number;
	} | null;
	token_count_prompt: number;
	token_count_completion: number;
	token_count_total: number;
	/** US dollars. */
	total_cost: number;
};

export type ModelPrice = {
	id: string;
	origin: "built_in" | "own";
	name: string;
	/** Null for a built-in price that matches by several rules. */
	match: "exact" | "prefix" | "suffix" | "contains" | "regex" | null;
	pattern: string | null;
	/** Null: of any provider. */
	provider: string | null;
	/** In force for spans that start from then on; null for ever. */
	start_time: string | null;
	/** In force at these times of the day, UTC; of built-in prices only. */
	hours: {
		from: string;
		to: string;
	} | null;
	/** US dollars per million tokens. */
	prices: {
		input?: number | null;
		output?: number | null;
		/** As input when absent; like cache_write part of the prompt's tokens. */
		cache_read?: number | null;
		cache_write?: number | null;
		/** As output when absent. */
		reasoning?: number | null;
	};
	/** Prices of calls with more input tokens; of built-in prices only. */
	tiers: Array<{
		kind: string;
		above_input_tokens: number;
		price: number;
	}>;
	user_id: string | null;
	created_at: string | null;
	updated_at: string | null;
};

export type ModelPricePage = {
	data: Array<ModelPrice>;
	next_cursor: string | null;
};

export type NarrowSpan = {
	id: string;
	/** 16 hex digits, or the text that was sent in their place. */
	span_id: string;
	parent_id: string | null;
	name: string;
	span_kind: string;
	status_code: "OK" | "ERROR" | "UNSET";
	start_time: string;
	end_time: string;
	trace_id: string;
	/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
	state: "ended" | "running" | "unfinished";
	status_message: string;
	/** Null while the span has no end: `end_time` is then its start. */
	latency_ms: number | null;
	model: string | null;
	provider: string | null;
	token_count_prompt: number | null;
	token_count_completion: number | null;
	token_count_total: number | null;
	/** The counts repeat those of descendants. */
	tokens_are_aggregate: boolean;
	/** US dollars; null when unknown. */
	total_cost: number | null;
	session_id: string | null;
	user_id: string | null;
	cumulative_error_count?: number;
	cumulative_token_count_prompt?: number;
	cumulative_token_count_completion?: number;
	cumulative_token_count_total?: number;
	cumulative_cost?: number;
	semantic?: Semantic;
	attributes?: { [key: string]: unknown };
	content_digests?: ContentDigests;
	/** The newest first, at most 20. */
	annotations?: Array<ShownAnnotation>;
	/** How many there are, shown or not. */
	annotation_count?: number;
};

export type NewAnnotationResultInput = {
	label?: string | null;
	score?: number | null;
	explanation?: string | null;
};

export type NewDocumentAnnotationInput = {
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	/** An object. */
	metadata?: { [key: string]: unknown } | null;
	/** Distinguishes annotations of one name on one target; the same identifier again replaces the annotation. */
	identifier?: string | null;
	span_id: string;
	/** From 0. */
	document_position: number;
};

export type NewSessionAnnotationInput = {
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	/** An object. */
	metadata?: { [key: string]: unknown } | null;
	/** Distinguishes annotations of one name on one target; the same identifier again replaces the annotation. */
	identifier?: string | null;
	/** The application's session id, or the session's global id. */
	session_id: string;
};

export type NewSpanAnnotationInput = {
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	/** An object. */
	metadata?: { [key: string]: unknown } | null;
	/** Distinguishes annotations of one name on one target; the same identifier again replaces the annotation. */
	identifier?: string | null;
	/** As it was sent: 16 hex digits, or another text; or the span's global id. */
	span_id: string;
};

export type NewSpanInput = {
	name: string;
	context: {
		/** 32 hex digits, or any text of 1 to 255 characters. */
		trace_id: string;
		/** 16 hex digits, or any text of 1 to 255 characters. */
		span_id: string;
	};
	span_kind: string;
	parent_id?: string | null;
	start_time: string | number;
	end_time: string | number;
	status_code: string;
	status_message?: string | null;
	attributes?: { [key: string]: unknown } | null;
	events?: Array<{
		name: string;
		timestamp: string | number;
		attributes?: { [key: string]: unknown } | null;
	}> | null;
};

export type NewTraceAnnotationInput = {
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	/** An object. */
	metadata?: { [key: string]: unknown } | null;
	/** Distinguishes annotations of one name on one target; the same identifier again replaces the annotation. */
	identifier?: string | null;
	/** As it was sent: 32 hex digits, or another text; or the trace's global id. */
	trace_id: string;
};

export type OAuth2Client = {
	id: string;
	client_id: string;
	name: string;
	/** Known to every installation, registered by itself, made by an admin, or described by a document. */
	kind: "seeded" | "registered" | "admin" | "metadata";
	redirect_uris: Array<string>;
	device_flow: boolean;
	disabled: boolean;
	created_at: string;
	/** When it last got tokens. */
	last_used_at: string | null;
	/** How many users let it in. */
	grant_count: number;
	created_by: {
		id: string;
		username: string;
	} | null;
};

export type OAuth2ClientPage = {
	data: Array<OAuth2Client>;
	next_cursor: string | null;
};

export type OAuth2Grant = {
	id: string;
	client: {
		id: string;
		client_id: string;
		name: string;
		kind: "seeded" | "registered" | "admin" | "metadata";
	};
	/** `admin` is administration. Null: all but that. */
	permissions: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	/** Where its tokens are valid. */
	resource: "api" | "mcp";
	created_at: string;
	expires_at: string;
	/** To the minute. */
	last_used_at: string | null;
	last_used_ip: string | null;
};

export type OAuth2GrantPage = {
	data: Array<OAuth2Grant>;
	next_cursor: string | null;
};

export type OneAnnotation = {
	data: SpanAnnotation | TraceAnnotation | SessionAnnotation | DocumentAnnotation;
};

export type OtlpAnyValue = {
	array_value: {
		values: Array<OtlpAnyValue>;
	} | null;
	bool_value: boolean | null;
	/** Base64. */
	bytes_value: string | null;
	/** NaN, Infinity and -Infinity as strings. */
	double_value: number | string | null;
	/** 64 bits, exact digits. */
	int_value: number | null;
	kvlist_value: {
		values: Array<{
			key: string;
			value: OtlpAnyValue;
		}>;
	} | null;
	string_value: string | null;
};

export type OtlpKeyValue = {
	key: string;
	value: OtlpAnyValue;
};

/** The span exactly as it was sent (after the limits). */
export type OtlpSpan = {
	trace_id: string;
	span_id: string;
	parent_span_id: string | null;
	trace_state: string | null;
	flags: number | null;
	name: string;
	/** `SPAN_KIND_CLIENT` and so on. */
	kind: string;
	start_time_unix_nano: number;
	end_time_unix_nano: number;
	attributes: Array<OtlpKeyValue>;
	dropped_attributes_count: number | null;
	events: Array<{
		name: string;
		time_unix_nano: number;
		attributes: Array<OtlpKeyValue>;
		dropped_attributes_count: number;
	}> | null;
	dropped_events_count: number | null;
	links: Array<{
		trace_id: string;
		span_id: string;
		trace_state: string | null;
		attributes: Array<OtlpKeyValue>;
		dropped_attributes_count: number;
		flags: number | null;
	}> | null;
	dropped_links_count: number | null;
	status: {
		code: number;
		message: string | null;
	};
	resource: {
		attributes: Array<OtlpKeyValue>;
		dropped_attributes_count: number | null;
		schema_url: string | null;
	};
	scope: {
		name: string;
		version: string | null;
		attributes: Array<OtlpKeyValue>;
		dropped_attributes_count: number | null;
		schema_url: string | null;
	};
};

export type OtlpSpanPage = {
	data: Array<OtlpSpan>;
	next_cursor: string | null;
	/** Things in the filter that are probably not meant, such as a misspelt field; absent if there are none. */
	warnings?: Array<FilterWarning>;
};

export type OwnUser = {
	id: string;
	created_at: string;
	updated_at: string;
	/** Empty for an LDAP user without one. */
	email: string;
	username: string;
	role: "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
	auth_method: "LOCAL" | "OAUTH2" | "LDAP";
	/** Of `LOCAL` users: a new password is due. */
	password_needs_reset?: boolean;
	/** Of `OAUTH2` and `LDAP` users: whether a log-in has bound the account to its identity. A directory without unique ids binds none. */
	is_bound?: boolean;
	/** The provider of the last log-in. */
	oauth2_provider?: string;
	oauth2_client_id?: string;
	oauth2_user_id?: string;
	ldap_unique_id?: string;
	profile_picture_url?: string;
	last_login_at?: string;
	/** What the request proved itself with. */
	credential: "session" | "user_key" | "oauth_token" | "system_key" | "admin_secret";
	/** Of a key or program. Null: all that its user may, of a program but administration, `admin`. */
	permissions?: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
	/** Of a key or program: the only ones that it reaches. Null: all. */
	projects?: Array<{
		id: string;
		name: string;
	}> | null;
	/** Of a key or program: whether it reaches the library. */
	include_library?: boolean;
	/** End of the key, or of the access token of the program. */
	expires_at?: string | null;
	/** The program, and the end of what it was let in for. */
	client?: {
		client_id: string;
		name: string;
		authorized_until: string;
	};
	/** For users of `SERVICE_ADMINS`: where the hosting is managed. */
	management_url?: string;
};

export type OwnedApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to distinguish keys: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Null: all that its owner may. */
	permissions: Array<"read" | "ingest" | "annotate" | "write"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	ip_ranges: Array<string> | null;
	allowed_origins: Array<string> | null;
	limits: {
		requests_per_minute: number | null;
		spans_per_day: number | null;
	};
	/** Spans sent since midnight UTC, some seconds ago; null without a limit on them. */
	spans_today: number | null;
	last_used_ip: string | null;
	/** To the minute. */
	last_refused_at: string | null;
	/** Code of the error. */
	last_refused_code: string | null;
	/** The key in whose place a rotation put this one. */
	replaces: string | null;
	replaced_by: string | null;
	user: {
		id: string;
		username: string;
		/** Empty for an LDAP user without one. */
		email: string;
		/** Whose key does no more than this role may. */
		role: "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
	};
};

export type OwnedApiKeyPage = {
	data: Array<OwnedApiKey>;
	next_cursor: string | null;
};

export type OwnedOAuth2Grant = {
	id: string;
	client: {
		id: string;
		client_id: string;
		name: string;
		kind: "seeded" | "registered" | "admin" | "metadata";
	};
	/** `admin` is administration. Null: all but that. */
	permissions: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	/** Where its tokens are valid. */
	resource: "api" | "mcp";
	created_at: string;
	expires_at: string;
	/** To the minute. */
	last_used_at: string | null;
	last_used_ip: string | null;
	user: {
		id: string;
		username: string;
		email: string | null;
	};
};

export type OwnedOAuth2GrantPage = {
	data: Array<OwnedOAuth2Grant>;
	next_cursor: string | null;
};

export type Problem = {
	/** Address of a page of this server about the code: what happened, what to do. */
	type: string;
	title: string;
	status: number;
	detail: string;
	/** Stable, for programs: `project_not_found`. */
	code: string;
	/** What did not validate, when `code` is `validation_failed`. */
	errors?: Array<{
		type: string;
		loc: Array<string | number>;
		msg: string;
		input?: unknown;
	}>;
	/** Names the entry in the server's log of a 500. */
	request_id?: string;
};

export type Project = {
	id: string;
	name: string;
	description: string | null;
	created_at: string;
	updated_at: string;
	/** With `include=activity`: what the project did in the last 24 hours. */
	activity?: ProjectActivity;
	/** With `include=access`: whether only those see it who were given a role there. */
	access?: "open" | "restricted";
	/** With `include=access`: what the caller may do there. */
	own_role?: "viewer" | "annotator" | "editor" | "manager";
};

export type ProjectActivity = {
	/** Start of the first of 24 whole hours; the last one is that of the answer. */
	start_time: string;
	/** Spans that start in each hour. */
	span_counts: Array<number>;
	/** Those of them with an error. */
	error_counts: Array<number>;
	/** Of all these hours. */
	token_count_total: number;
	/** US dollars, of all these hours. */
	total_cost: number;
	/** Of spans with an end in all these hours, within 5 %. */
	latency_ms: {
		p50: number;
		p95: number;
	} | null;
	/** However long ago; null without traces. */
	newest_trace_start_time: string | null;
};

export type ProjectPage = {
	data: Array<Project>;
	next_cursor: string | null;
};

export type ProjectRetention = {
	project_id: string;
	/** Null: the default policy. */
	policy_id: string | null;
	policy: RetentionPolicy;
};

export type Prompt = {
	id: string;
	name: string;
	description?: string | null;
	source_prompt_id?: string | null;
	metadata: { [key: string]: unknown };
	created_at: string;
	updated_at: string;
	/** The project where it lives; absent for the library. */
	project_id?: string;
};

export type PromptAnthropicInvocationParametersContent = {
	max_tokens: number;
	temperature?: number;
	top_p?: number;
	stop_sequences?: Array<string>;
	output_config?: {
		effort?: "low" | "medium" | "high" | "xhigh" | "max";
	};
	thinking?: {
		type: "disabled";
	} | {
		type: "enabled";
		budget_tokens: number;
		display?: "summarized" | "omitted";
	} | {
		type: "adaptive";
		display?: "summarized" | "omitted";
	};
	extra_body?: { [key: string]: unknown };
};

export type PromptAnthropicInvocationParametersContentInput = {
	max_tokens: number;
	temperature?: number;
	top_p?: number;
	stop_sequences?: Array<string>;
	output_config?: {
		effort?: "low" | "medium" | "high" | "xhigh" | "max";
	};
	thinking?: {
		type: "disabled";
	} | {
		type: "enabled";
		budget_tokens: number;
		display?: "summarized" | "omitted";
	} | {
		type: "adaptive";
		display?: "summarized" | "omitted";
	};
	extra_body?: { [key: string]: unknown };
};

export type PromptAwsInvocationParametersContent = {
	max_tokens?: number;
	temperature?: number;
	top_p?: number;
	stop_sequences?: Array<string>;
};

export type PromptAwsInvocationParametersContentInput = {
	max_tokens?: number;
	temperature?: number;
	top_p?: number;
	stop_sequences?: Array<string>;
};

export type PromptChatTemplate = {
	type: "chat";
	messages: Array<PromptMessage>;
};

export type PromptChatTemplateInput = {
	type: "chat";
	messages: Array<PromptMessageInput>;
};

export type PromptGoogleInvocationParametersContent = {
	temperature?: number;
	max_output_tokens?: number;
	stop_sequences?: Array<string>;
	presence_penalty?: number;
	frequency_penalty?: number;
	top_p?: number;
	top_k?: number;
	thinking_config?: {
		thinking_budget?: number;
		thinking_level?: "minimal" | "low" | "medium" | "high";
		include_thoughts?: boolean;
	};
};

export type PromptGoogleInvocationParametersContentInput = {
	temperature?: number;
	max_output_tokens?: number;
	stop_sequences?: Array<string>;
	presence_penalty?: number;
	frequency_penalty?: number;
	top_p?: number;
	top_k?: number;
	thinking_config?: {
		thinking_budget?: number;
		thinking_level?: "minimal" | "low" | "medium" | "high";
		include_thoughts?: boolean;
	};
};

export type PromptMessage = {
	role: "user" | "assistant" | "model" | "ai" | "tool" | "system" | "developer";
	content: string | Array<TextContentPart | ToolCallContentPart | ToolResultContentPart>;
};

export type PromptMessageInput = {
	role: "user" | "assistant" | "model" | "ai" | "tool" | "system" | "developer";
	content: string | Array<TextContentPartInput | ToolCallContentPartInput | ToolResultContentPartInput>;
};

export type PromptOpenAIInvocationParametersContent = {
	temperature?: number;
	max_tokens?: number;
	max_completion_tokens?: number;
	frequency_penalty?: number;
	presence_penalty?: number;
	top_p?: number;
	seed?: number;
	stop?: Array<string>;
	reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
	extra_body?: { [key: string]: unknown };
};

export type PromptOpenAIInvocationParametersContentInput = {
	temperature?: number;
	max_tokens?: number;
	max_completion_tokens?: number;
	frequency_penalty?: number;
	presence_penalty?: number;
	top_p?: number;
	seed?: number;
	stop?: Array<string>;
	reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
	extra_body?: { [key: string]: unknown };
};

export type PromptPage = {
	data: Array<ListedPrompt>;
	next_cursor: string | null;
};

export type PromptResponseFormat = {
	type: "json_schema";
	json_schema: {
		name: string;
		description?: string;
		schema?: { [key: string]: unknown };
		strict?: boolean;
	};
};

export type PromptResponseFormatInput = {
	type: "json_schema";
	json_schema: {
		name: string;
		description?: string;
		schema?: { [key: string]: unknown };
		strict?: boolean;
	};
};

export type PromptStringTemplateInput = {
	type: "string";
	template: string;
};

export type PromptTools = {
	type: "tools";
	tools: Array<{
		type: "function";
		function: {
			name: string;
			description?: string;
			/** JSON Schema */
			parameters?: { [key: string]: unknown };
			strict?: boolean;
		};
	} | {
		type: "raw";
		raw: { [key: string]: unknown };
	}>;
	tool_choice?: {
		type: "none";
	} | {
		type: "zero_or_more";
	} | {
		type: "one_or_more";
	} | {
		type: "specific_function";
		function_name: string;
	};
	disable_parallel_tool_calls?: boolean;
};

export type PromptToolsInput = {
	type: "tools";
	tools: Array<{
		type: "function";
		function: {
			name: string;
			description?: string;
			/** JSON Schema */
			parameters?: { [key: string]: unknown };
			strict?: boolean;
		};
	} | {
		type: "raw";
		raw: { [key: string]: unknown };
	}>;
	tool_choice?: {
		type: "none";
	} | {
		type: "zero_or_more";
	} | {
		type: "one_or_more";
	} | {
		type: "specific_function";
		function_name: string;
	};
	disable_parallel_tool_calls?: boolean;
};

export type PromptVersion = {
	id: string;
	/** Empty when there is none. */
	description: string;
	metadata?: { [key: string]: unknown };
	model_provider: "OPENAI" | "AZURE_OPENAI" | "ANTHROPIC" | "GOOGLE" | "DEEPSEEK" | "XAI" | "OLLAMA" | "AWS" | "CEREBRAS" | "FIREWORKS" | "GROQ" | "MOONSHOT" | "MINIMAX" | "PERPLEXITY" | "TOGETHER" | "ZAI" | "META";
	model_name: string;
	template: PromptChatTemplate;
	template_type: "CHAT";
	template_format: "MUSTACHE" | "F_STRING" | "NONE";
	invocation_parameters: {
		type: "openai";
		openai: PromptOpenAIInvocationParametersContent;
	} | {
		type: "anthropic";
		anthropic: PromptAnthropicInvocationParametersContent;
	} | {
		type: "google";
		google: PromptGoogleInvocationParametersContent;
	} | {
		type: "aws";
		aws: PromptAwsInvocationParametersContent;
	};
	tools?: PromptTools;
	response_format?: PromptResponseFormat;
	prompt_id: string;
	created_at: string;
	/** Who made it. */
	user_id: string | null;
	/** Names of the tags that are on this version. */
	tags: Array<string>;
};

export type PromptVersionDataInput = {
	description?: string | null;
	metadata?: { [key: string]: unknown } | null;
	model_provider: "OPENAI" | "AZURE_OPENAI" | "ANTHROPIC" | "GOOGLE" | "DEEPSEEK" | "XAI" | "OLLAMA" | "AWS" | "CEREBRAS" | "FIREWORKS" | "GROQ" | "MOONSHOT" | "MINIMAX" | "PERPLEXITY" | "TOGETHER" | "ZAI" | "META";
	model_name: string;
	template: PromptChatTemplateInput | PromptStringTemplateInput;
	/** Only `CHAT` is taken. */
	template_type: "STR" | "CHAT";
	template_format: "MUSTACHE" | "F_STRING" | "NONE";
	/** Of the variant of the model's provider; those that have OpenAI's members are kept as `openai`. */
	invocation_parameters: {
		type: "openai";
		openai: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "azure_openai";
		azure_openai: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "deepseek";
		deepseek: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "xai";
		xai: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "ollama";
		ollama: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "cerebras";
		cerebras: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "fireworks";
		fireworks: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "groq";
		groq: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "moonshot";
		moonshot: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "perplexity";
		perplexity: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "together";
		together: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "zai";
		zai: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "meta";
		meta: PromptOpenAIInvocationParametersContentInput;
	} | {
		type: "anthropic";
		anthropic: PromptAnthropicInvocationParametersContentInput;
	} | {
		type: "google";
		google: PromptGoogleInvocationParametersContentInput;
	} | {
		type: "aws";
		aws: PromptAwsInvocationParametersContentInput;
	};
	tools?: PromptToolsInput | null;
	response_format?: PromptResponseFormatInput | null;
};

export type PromptVersionDiff = {
	/** The version that is looked at: `after`. */
	id: string;
	/** The version that it is compared with: `before`. */
	against: string;
	is_equal: boolean;
	/** Everything but the template's messages, by the way to the value. */
	changes: Array<{
		path: Array<string | number>;
		kind: "added" | "removed" | "changed";
		/** Absent when it was added. */
		before?: unknown;
		/** Absent when it was removed. */
		after?: unknown;
	}>;
	messages: Array<{
		kind: "equal" | "added" | "removed" | "changed";
		before: {
			position: number;
			role: string;
		} | null;
		after: {
			position: number;
			role: string;
		} | null;
		lines: Array<{
			kind: "equal" | "added" | "removed";
			text: string;
		}>;
	}>;
};

export type PromptVersionPage = {
	data: Array<PromptVersion>;
	next_cursor: string | null;
};

export type PromptVersionTag = {
	id: string;
	name: string;
	description?: string;
};

export type PromptVersionTagPage = {
	data: Array<PromptVersionTag>;
	next_cursor: string | null;
};

export type RawValue = {
	attribute: string;
	value: unknown;
	mime?: string;
};

export type RestrictingEffects = {
	/** People who would still see it. */
	keeping_count: number;
	/** People who would not see it any more. */
	losing_count: number;
	/** At most 100 of them. */
	losing: Array<{
		id: string;
		username: string;
	}>;
	/** Keys of theirs that were used, the last used first, at most 100. */
	refused_keys: Array<{
		name: string;
		hint: string;
		owner: string;
		last_used_at: string;
	}>;
};

export type RetentionPolicy = {
	id: string;
	name: string;
	cron: string;
	max_days: number | null;
	max_traces: number | null;
	keep_annotated: boolean;
	/** Projects that have this policy. */
	project_count: number;
	/** Null where nothing is ever deleted. */
	next_run_at: string | null;
	last_run_at: string | null;
	/** Null for the default policy. */
	created_at: string | null;
	/** Null for the default policy. */
	updated_at: string | null;
};

export type RetentionPolicyPage = {
	data: Array<RetentionPolicy>;
	next_cursor: string | null;
};

export type RetentionPreview = {
	project_id: string;
	max_days: number | null;
	max_traces: number | null;
	keep_annotated: boolean;
	/** How many traces would go now. */
	deleted_traces: number;
	/** Would go but for their annotations. */
	kept_traces: number;
	/** Of the project, afterwards. */
	remaining_traces: number;
	/** When the first of those that would go started. */
	oldest: string | null;
	/** When the last of those that would go started. */
	newest: string | null;
	/** The first of those that would go. */
	traces: Array<{
		id: string;
		trace_id: string;
		root_name: string | null;
		start_time: string;
		span_count: number;
	}>;
};

export type RetentionRun = {
	id: string;
	/** The policy may have been deleted since. */
	policy_id: string;
	/** The project may have been deleted since. */
	project_id: string;
	project_name: string;
	started_at: string;
	/** Null while it runs, or waits for those before it. */
	ended_at: string | null;
	deleted_traces: number;
	/** Would have gone but for their annotations. */
	kept_traces: number;
	/** Why it ended early. */
	error: string | null;
};

export type RetentionRunPage = {
	data: Array<RetentionRun>;
	next_cursor: string | null;
};

export type RowMetrics = {
	data: Array<MetricsPoint>;
	bucket: "minute" | "hour" | "day";
	/** Older rows were not read; null when all were. */
	read_from: string | null;
};

export type SampledValue = {
	value: string;
	span_count: number;
};

export type SampledValues = {
	/** Spans that were looked at. */
	span_count: number;
	fields: {
		name: Array<SampledValue>;
		/** Names of spans without a parent id. */
		root_name: Array<SampledValue>;
		model: Array<SampledValue>;
		provider: Array<SampledValue>;
		session_id: Array<SampledValue>;
		user_id: Array<SampledValue>;
	};
	attributes: Array<{
		key: string;
		/** Of most values. */
		type: "text" | "number" | "boolean" | "other";
		span_count: number;
		/** The most frequent texts of up to 100 characters; none where all differ. */
		values: Array<SampledValue>;
	}>;
};

export type Secret = {
	key: string;
	created_at: string;
	updated_at: string;
	updated_by?: {
		id: string;
		username: string;
	};
};

export type SecretPage = {
	data: Array<Secret>;
	next_cursor: null;
};

export type SecretWithValue = {
	key: string;
	created_at: string;
	updated_at: string;
	updated_by?: {
		id: string;
		username: string;
	};
	value: string;
};

export type SelectionInput = {
	/** Ids as they were sent, or global ids. */
	ids: Array<string>;
} | {
	/** Query parameters of the list, such as `filter`, `q` and `start_time`; `{}` selects everything. */
	filter: {
		/** Inclusive, on the start of the span, trace or session. */
		start_time?: string;
		/** Exclusive, on the start of the span, trace or session. */
		end_time?: string;
		user_id?: Array<string>;
		error?: boolean;
		/** All words occur in the span: its name, ids, attributes, events or status message. */
		q?: string;
		/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
		filter?: string;
		/** Session ids or global ids. */
		session_identifier?: Array<string>;
		session_id?: Array<string>;
		min_latency_ms?: number;
		max_latency_ms?: number;
		/** Exact. */
		name?: Array<string>;
		model?: Array<string>;
		trace_id?: Array<string>;
		span_id?: Array<string>;
		/** `null` for spans without a parent id. */
		parent_id?: string;
		/** OK, ERROR or UNSET, in any case. */
		status_code?: Array<string>;
		/** `key:value`, the value as JSON, else as text; all have to match. */
		attribute?: Array<string>;
		/** LLM, CHAIN, TOOL and so on, in any case. */
		span_kind?: Array<string>;
	};
};

export type SelectionSummary = {
	/** Which list the selection is from. */
	kind: "span" | "trace" | "session";
	/** Spans, traces or sessions that are selected. */
	item_count: number;
	/** Traces in them; null for spans. */
	trace_count: number | null;
	span_count: number;
	/** Of the items, and of their traces, spans and documents. */
	annotation_count: number;
	log_record_count: number;
	/** False when counting took too long: there are more. */
	is_complete: boolean;
};

/** What the span means. A key that is absent is not in the data. */
export type Semantic = {
	convention: string;
	kind: string;
	kind_from?: string;
	model?: string;
	request_model?: string;
	provider?: string;
	tokens?: TokenCounts;
	tokens_are_aggregate?: boolean;
	aggregated_tokens?: TokenCounts;
	/** US dollars. */
	cost?: {
		total?: number;
		prompt?: number;
		completion?: number;
		cache_read?: number;
		cache_write?: number;
		reasoning?: number;
		source: "sent" | "table";
	};
	input?: RawValue;
	output?: RawValue;
	input_text?: string;
	output_text?: string;
	input_messages?: Array<Message>;
	output_messages?: Array<Message>;
	tool?: {
		name?: string;
		description?: string;
		call_id?: string;
		parameters?: unknown;
	};
	/** Names of the tools offered to the model. */
	tool_definitions?: Array<string>;
	/** Their definitions as they were sent. */
	tool_schemas?: Array<unknown>;
	documents?: Array<{
		id?: string;
		content?: string;
		score?: number;
		metadata?: unknown;
	}>;
	embeddings?: {
		texts?: Array<string>;
		vectors?: number;
		dimension?: number;
	};
	prompt_template?: {
		template?: string;
		version?: string;
		variables?: unknown;
	};
	invocation_parameters?: unknown;
	conversation?: Array<Message>;
	agent_name?: string;
	error?: {
		type?: string;
		message?: string;
		stacktrace?: string;
		exception_event?: boolean;
		raw_status_message?: string;
	};
	session_id?: string;
	session_from?: string;
	user_id?: string;
	metadata?: unknown;
	metadata_flattened?: unknown;
	tags?: Array<string>;
	content_not_captured?: boolean;
	level?: string;
	status_message?: string;
	trace_name?: string;
	environment?: string;
	version?: string;
	release?: string;
	function_id?: string;
	finish_reason?: string;
};

export type Session = {
	id: string;
	session_id: string;
	project_id: string;
	user_id: string | null;
	start_time: string;
	end_time: string;
	/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
	state: "ended" | "running" | "unfinished";
	/** From the first start to the last end. */
	latency_ms: number;
	/** By start time. */
	traces: Array<{
		id: string;
		trace_id: string;
		start_time: string;
		end_time: string;
	}>;
	trace_count: number;
	span_count: number;
	/** Spans without an end. */
	running_count: number;
	error_count: number;
	token_count_prompt: number;
	token_count_completion: number;
	token_count_total: number;
	/** US dollars; null when no span has a known cost. */
	total_cost: number | null;
	first_input: string | null;
	last_output: string | null;
	/** The newest first, at most 20. */
	annotations?: Array<ShownAnnotation>;
	/** How many there are, shown or not. */
	annotation_count?: number;
};

export type SessionAnnotation = {
	id: string;
	created_at: string;
	updated_at: string;
	/** APP: by somebody who was logged in. */
	source: "API" | "APP";
	/** The owner: the author, or the admin who overwrote it; null without authentication. */
	user_id: string | null;
	/** `note` for notes. */
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result: AnnotationResult;
	metadata: { [key: string]: unknown };
	identifier: string;
	session_id: string;
};

export type SessionAnnotationPage = {
	data: Array<SessionAnnotation>;
	next_cursor: string | null;
};

export type SessionPage = {
	data: Array<Session>;
	next_cursor: string | null;
	/** Things in the filter that are probably not meant, such as a misspelt field; absent if there are none. */
	warnings?: Array<FilterWarning>;
};

export type ShownAnnotation = {
	id: string;
	target: "span" | "trace" | "session";
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	/** The explanation is cut to 2,000 characters. */
	result: AnnotationResult;
	identifier: string;
	source: "API" | "APP";
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type SignInDirectory = {
	settings: Array<EffectiveSetting>;
	servers: Array<{
		address: string;
		steps: Array<SignInStep>;
	}>;
};

export type SignInProvider = {
	id: string;
	name: string;
	/** To register at the provider; null when SERVICE_ROOT_URL has to be set first. */
	redirect_uri: string | null;
	settings: Array<EffectiveSetting>;
	/** Whether the provider can be reached and fits the settings. */
	steps: Array<SignInStep>;
};

export type SignInState = {
	/** Whether local accounts log in with passwords. */
	passwords: boolean;
	steps: Array<SignInStep>;
	providers: Array<SignInProvider>;
	ldap: SignInDirectory | null;
	mail: MailState;
};

export type SignInStep = {
	/** What was looked at, such as `discovery`, `groups` or `role`. */
	name: string;
	outcome: "ok" | "warning" | "failed" | "skipped";
	text: string;
	/** The variables to change. */
	settings: Array<string>;
	facts: Array<{
		name: string;
		value: string;
	}>;
};

export type SignInTry = {
	method: "OAUTH2" | "LDAP";
	/** Its id; null for LDAP. */
	provider: string | null;
	at: string;
	accepted: boolean;
	/** What the log-in page would have been told; null when accepted. */
	code: string | null;
	steps: Array<SignInStep>;
	/** What the provider said, ID token before userinfo; null for LDAP. */
	claims: { [key: string]: unknown } | null;
};

export type Span = {
	id: string;
	name: string;
	context: {
		trace_id: string;
		span_id: string;
	};
	/** In the spelling that was sent, else what its convention means. */
	span_kind: string;
	parent_id: string | null;
	start_time: string;
	end_time: string;
	status_code: "OK" | "ERROR" | "UNSET";
	status_message: string;
	attributes: { [key: string]: unknown };
	events: Array<SpanEvent>;
	/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
	state: "ended" | "running" | "unfinished";
	/** Null while the span has no end: `end_time` is then its start. */
	latency_ms: number | null;
	model: string | null;
	provider: string | null;
	token_count_prompt: number | null;
	token_count_completion: number | null;
	token_count_total: number | null;
	/** The counts repeat those of descendants. */
	tokens_are_aggregate: boolean;
	/** US dollars; null when unknown. */
	total_cost: number | null;
	session_id: string | null;
	user_id: string | null;
	cumulative_error_count: number;
	cumulative_token_count_prompt: number;
	cumulative_token_count_completion: number;
	cumulative_token_count_total: number;
	cumulative_cost: number;
	semantic?: Semantic;
	/** The newest first, at most 20. */
	annotations?: Array<ShownAnnotation>;
	/** How many there are, shown or not. */
	annotation_count?: number;
};

export type SpanAnnotation = {
	id: string;
	created_at: string;
	updated_at: string;
	/** APP: by somebody who was logged in. */
	source: "API" | "APP";
	/** The owner: the author, or the admin who overwrote it; null without authentication. */
	user_id: string | null;
	/** `note` for notes. */
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result: AnnotationResult;
	metadata: { [key: string]: unknown };
	identifier: string;
	span_id: string;
};

export type SpanAnnotationPage = {
	data: Array<SpanAnnotation>;
	next_cursor: string | null;
};

export type SpanDetail = {
	id: string;
	name: string;
	context: {
		trace_id: string;
		span_id: string;
	};
	/** In the spelling that was sent, else what its convention means. */
	span_kind: string;
	parent_id: string | null;
	start_time: string;
	end_time: string;
	status_code: "OK" | "ERROR" | "UNSET";
	status_message: string;
	attributes: { [key: string]: unknown };
	events: Array<SpanEvent>;
	/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
	state: "ended" | "running" | "unfinished";
	/** Null while the span has no end: `end_time` is then its start. */
	latency_ms: number | null;
	model: string | null;
	provider: string | null;
	token_count_prompt: number | null;
	token_count_completion: number | null;
	token_count_total: number | null;
	/** The counts repeat those of descendants. */
	tokens_are_aggregate: boolean;
	/** US dollars; null when unknown. */
	total_cost: number | null;
	session_id: string | null;
	user_id: string | null;
	cumulative_error_count?: number;
	cumulative_token_count_prompt?: number;
	cumulative_token_count_completion?: number;
	cumulative_token_count_total?: number;
	cumulative_cost?: number;
	semantic: Semantic;
	/** The newest first, at most 20. */
	annotations?: Array<ShownAnnotation>;
	/** How many there are, shown or not. */
	annotation_count?: number;
	project_id: string;
	otel_kind: string;
	links: Array<{
		trace_id: string;
		span_id: string;
		trace_state: string;
		attributes: { [key: string]: unknown };
		flags: number;
	}>;
	resource: {
		attributes: { [key: string]: unknown };
		dropped_attributes_count: number;
		schema_url: string;
	};
	scope: {
		name: string;
		version: string;
		attributes: { [key: string]: unknown };
		dropped_attributes_count: number;
		schema_url: string;
	};
	log_events: Array<{
		event_name: string;
		timestamp: string;
		body: unknown;
		attributes: { [key: string]: unknown };
	}>;
	cost: {
		total: number;
		prompt?: number;
		completion?: number;
		cache_read?: number;
		cache_write?: number;
		reasoning?: number;
		source: "sent" | "table";
	} | null;
	otlp: OtlpSpan;
};

export type SpanDetailAnswer = {
	data: SpanDetail;
};

export type SpanEvent = {
	name: string;
	timestamp: string;
	attributes: { [key: string]: unknown };
};

export type SpanPage = {
	data: Array<Span>;
	next_cursor: string | null;
	/** Things in the filter that are probably not meant, such as a misspelt field; absent if there are none. */
	warnings?: Array<FilterWarning>;
};

export type SpanTableQueryInput = {
	/** Column names and what they show: a field of the span or an attribute. */
	select?: { [key: string]: {
		key: string;
	} | null } | null;
	filter?: {
		condition?: string | null;
	} | null;
	/** A row for each item of a list, such as `retrieval.documents`. */
	explode?: {
		key: string;
		/** Column names and what they show of an item; all without it. */
		kwargs?: { [key: string]: string } | null;
		primary_index_key?: string | null;
	} | null;
	/** The texts of the items of a list in one. */
	concat?: {
		key: string;
		/** Column names and what they show of an item; all without it. */
		kwargs?: { [key: string]: string } | null;
		separator?: string | null;
	} | null;
	rename?: { [key: string]: string } | null;
	index?: {
		key: string;
	} | null;
};

export type SpanTablesBodyInput = {
	queries: Array<SpanTableQueryInput>;
	/** Inclusive, on the start of the span. */
	start_time?: string | null;
	/** Exclusive, on the start of the span. */
	end_time?: string | null;
	/** Older name of `end_time`. */
	stop_time?: string | null;
	/** Spans of each table; 1,000 when absent. */
	limit?: number | null;
	root_spans_only?: boolean | null;
	/** `root_spans_only` takes spans whose parent was never stored too, unless this is false. */
	orphan_span_as_root_span?: boolean | null;
	project_name?: string | null;
};

export type StartedSignInTry = {
	/** Where the browser goes; it comes back to Settings → Sign-in. */
	authorization_url: string;
};

/** What a node does not have, or does not tell the user of this server, is null. */
export type StorageNode = {
	/** From 1, as `replica`. */
	shard: number;
	/** Replicas of a shard have the same rows. */
	replica: number;
	host: string;
	/** Of the database. */
	version: string | null;
	state: "ok" | "behind" | "read_only" | "full" | "unreachable";
	/** Behind other replicas. */
	delay_seconds: number | null;
	/** What is left to do to catch up with other replicas. */
	queue_size: number | null;
	/** Parts of the partition that has most of them; merges make them fewer. */
	active_parts_max: number | null;
	/** That run now. */
	merges: number | null;
	/** Of its disks. */
	free_bytes: number | null;
	total_bytes: number | null;
	/** Why it cannot be reached, or what it failed at within the last hour. */
	last_error: {
		at: string;
		message: string;
	} | null;
};

export type StorageNodePage = {
	data: Array<StorageNode>;
	next_cursor: string | null;
};

export type StorageRepair = {
	id: string;
	/** `totals`: rows of traces, and hours, that differ from their spans. `orphans`: what belongs to nothing any more. `moves`: what is in two places, or in another one than is said of it. */
	kind: "totals" | "orphans" | "moves" | "all";
	project_id: string | null;
	start_time: string | null;
	end_time: string | null;
	dry_run: boolean;
	status: "queued" | "running" | "completed" | "failed" | "cancelled";
	/** Traces, hours, references and parts of tables. */
	looked_at: number;
	/** Traces, hours and other things that are wrong. */
	found: number;
	/** Fewer than were found where nothing is left to make them right from, or they were right meanwhile. */
	repaired: number;
	/** A user. */
	created_by: string | null;
	created_at: string;
	finished_at: string | null;
	/** Why it failed. */
	error: string | null;
};

export type StorageRepairPage = {
	data: Array<StorageRepair>;
	next_cursor: string | null;
};

export type StorageState = {
	/** What the database contains, without the space that deletions have freed. */
	used_bytes: number;
	/** Null where no capacity is set. */
	capacity_bytes: number | null;
	used_percentage: number | null;
	warning_threshold_percentage: number | null;
	blocking_threshold_percentage: number | null;
	/** `blocked`: nothing new is stored. */
	state: "unlimited" | "ok" | "warning" | "blocked";
	/** Earlier where it cannot be measured now. */
	measured_at: string;
	/** The place of traces. */
	traces: TracesState;
};

export type Subject = {
	type: "user" | "team";
	id: string;
	name: string;
};

export type SubjectBodyInput = {
	/** Id, email or username. */
	user: string;
} | {
	/** Id or name. */
	team: string;
};

export type SystemApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to distinguish keys: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Null: all that its owner may. */
	permissions: Array<"read" | "ingest" | "annotate" | "write"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	ip_ranges: Array<string> | null;
	allowed_origins: Array<string> | null;
	limits: {
		requests_per_minute: number | null;
		spans_per_day: number | null;
	};
	/** Spans sent since midnight UTC, some seconds ago; null without a limit on them. */
	spans_today: number | null;
	last_used_ip: string | null;
	/** To the minute. */
	last_refused_at: string | null;
	/** Code of the error. */
	last_refused_code: string | null;
	/** The key in whose place a rotation put this one. */
	replaces: string | null;
	replaced_by: string | null;
	/** Absent if the user was deleted; the key outlives them. */
	created_by?: {
		id: string;
		username: string;
	};
};

export type SystemApiKeyPage = {
	data: Array<SystemApiKey>;
	next_cursor: string | null;
};

export type Team = {
	id: string;
	name: string;
	description: string | null;
	/** Who made the team, and says its name. */
	source: "manual" | "scim";
	member_count: number;
	created_at: string;
	updated_at: string;
	/** Groups at providers and in the directory that are the team's. They are kept; this version makes nobody a member by them. */
	external_groups: Array<ExternalGroup>;
	/** Where the team has a role, at most 200. */
	homes: Array<TeamHome>;
	home_count: number;
};

export type TeamHome = {
	type: "project" | "library";
	id?: string;
	name: string;
	/** The highest that the team has here. */
	role: "viewer" | "annotator" | "editor" | "manager";
	/** Members who would not see it without this team. */
	only_by_team: number;
};

export type TeamMember = {
	id: string;
	username: string;
	/** Who says so: `manual`, `scim`, `ldap`, `oauth2:<provider>`. */
	sources: Array<string>;
};

export type TeamMemberPage = {
	data: Array<TeamMember>;
	next_cursor: string | null;
};

export type TeamPage = {
	data: Array<ListedTeam>;
	next_cursor: string | null;
};

export type TestMailReport = {
	/** Whether the mail server accepted the mail. */
	accepted: boolean;
	steps: Array<SignInStep>;
};

export type TextContentPart = {
	type: "text";
	text: string;
};

export type TextContentPartInput = {
	type: "text";
	text: string;
};

export type TokenCounts = {
	prompt?: number;
	completion?: number;
	total?: number;
	cache_read?: number;
	cache_write?: number;
	reasoning?: number;
};

export type ToolCallContentPart = {
	type: "tool_call";
	tool_call_id: string;
	tool_call: {
		type: "function";
		name: string;
		/** JSON */
		arguments: string;
	};
};

export type ToolCallContentPartInput = {
	type: "tool_call";
	tool_call_id: string;
	tool_call: {
		type: "function";
		name: string;
		/** JSON */
		arguments: string;
	};
};

export type ToolResultContentPart = {
	type: "tool_result";
	tool_call_id: string;
	/** Any JSON. */
	tool_result: unknown;
};

export type ToolResultContentPartInput = {
	type: "tool_result";
	tool_call_id: string;
	/** Any JSON. */
	tool_result: unknown;
};

export type Trace = {
	id: string;
	/** 32 hex digits, or the text that was sent in their place. */
	trace_id: string;
	project_id: string;
	start_time: string;
	end_time: string;
	/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
	state: "ended" | "running" | "unfinished";
	/** Null while a span has no end. */
	latency_ms: number | null;
	token_count_prompt: number;
	token_count_completion: number;
	token_count_total: number;
	/** US dollars; null when no span has a known cost. */
	total_cost: number | null;
	span_count: number;
	/** Spans without an end. */
	running_count: number;
	error_count: number;
	root_name: string | null;
	root_span_id: string | null;
	root_span_kind: string;
	root_status_code: "OK" | "ERROR" | "UNSET";
	/** Human text, cut to 2,000 characters. */
	first_input: string | null;
	/** Human text, cut to 2,000 characters. */
	last_output: string | null;
	session_id: string | null;
	user_id: string | null;
	/** By start time; null unless `include_spans`. */
	spans: Array<TraceSpan> | null;
	/** The newest first, at most 20. */
	annotations?: Array<ShownAnnotation>;
	/** How many there are, shown or not. */
	annotation_count?: number;
};

export type TraceAnnotation = {
	id: string;
	created_at: string;
	updated_at: string;
	/** APP: by somebody who was logged in. */
	source: "API" | "APP";
	/** The owner: the author, or the admin who overwrote it; null without authentication. */
	user_id: string | null;
	/** `note` for notes. */
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result: AnnotationResult;
	metadata: { [key: string]: unknown };
	identifier: string;
	trace_id: string;
};

export type TraceAnnotationPage = {
	data: Array<TraceAnnotation>;
	next_cursor: string | null;
};

export type TraceOutline = {
	trace: {
		id: string;
		/** 32 hex digits, or the text that was sent in their place. */
		trace_id: string;
		project_id: string;
		start_time: string;
		end_time: string;
		/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
		state: "ended" | "running" | "unfinished";
		/** Null while a span has no end. */
		latency_ms: number | null;
		token_count_prompt: number;
		token_count_completion: number;
		token_count_total: number;
		/** US dollars; null when no span has a known cost. */
		total_cost: number | null;
		span_count: number;
		/** Spans without an end. */
		running_count: number;
		error_count: number;
		root_name: string | null;
		root_span_id: string | null;
		root_span_kind: string;
		root_status_code: "OK" | "ERROR" | "UNSET";
		/** Human text, cut to 2,000 characters. */
		first_input: string | null;
		/** Human text, cut to 2,000 characters. */
		last_output: string | null;
		session_id: string | null;
		user_id: string | null;
		/** The newest first, at most 20. */
		annotations?: Array<ShownAnnotation>;
		/** How many there are, shown or not. */
		annotation_count?: number;
	};
	/** Errors that are not those of a span below, the most frequent first. */
	errors: Array<{
		span_id: string;
		name: string;
		span_kind: string;
		message: string;
		/** Spans with this name, kind and message. */
		count: number;
	}>;
	/** Kinds of errors that had no place. */
	errors_left_out: number;
	/** The spans as a tree, parents first. */
	rows: Array<{
		/** Of the first span that the row stands for. */
		span_id: string;
		parent_id: string | null;
		depth: number;
		name: string;
		span_kind: string;
		is_error: boolean;
		/** Of the longest; null without an end. */
		latency_ms: number | null;
		model: string | null;
		token_count_total: number | null;
		total_cost: number | null;
		/** On the critical path. */
		critical: boolean;
		/** How many siblings it stands for, which are alike with all that is below them. */
		count: number;
		/** Below it. */
		left_out: {
			spans: number;
			/** Spans in error among them. */
			errors: number;
		};
	}>;
	/** Spans that are outlined. */
	span_count: number;
	/** Further spans of the trace, which are too many. */
	not_read: number;
	/** Spans that no row stands for. */
	left_out: {
		spans: number;
		/** Spans in error among them. */
		errors: number;
	};
	/** Address of the page of the trace. */
	link: string;
};

export type TraceOutlineAnswer = {
	data: TraceOutline;
	/** The same for people and language models. */
	text: string;
};

export type TracePage = {
	data: Array<Trace>;
	next_cursor: string | null;
	/** Things in the filter that are probably not meant, such as a misspelt field; absent if there are none. */
	warnings?: Array<FilterWarning>;
};

export type TraceSpan = {
	id: string;
	/** 16 hex digits, or the text that was sent in their place. */
	span_id: string;
	parent_id: string | null;
	name: string;
	span_kind: string;
	status_code: "OK" | "ERROR" | "UNSET";
	start_time: string;
	end_time: string;
};

export type TraceWithSpans = {
	data: {
		id: string;
		/** 32 hex digits, or the text that was sent in their place. */
		trace_id: string;
		project_id: string;
		start_time: string;
		end_time: string;
		/** `running` without an end; `unfinished` once nothing newer is known of the trace for SERVICE_UNFINISHED_AFTER_SECONDS. */
		state: "ended" | "running" | "unfinished";
		/** Null while a span has no end. */
		latency_ms: number | null;
		token_count_prompt: number;
		token_count_completion: number;
		token_count_total: number;
		/** US dollars; null when no span has a known cost. */
		total_cost: number | null;
		span_count: number;
		/** Spans without an end. */
		running_count: number;
		error_count: number;
		root_name: string | null;
		root_span_id: string | null;
		root_span_kind: string;
		root_status_code: "OK" | "ERROR" | "UNSET";
		/** Human text, cut to 2,000 characters. */
		first_input: string | null;
		/** Human text, cut to 2,000 characters. */
		last_output: string | null;
		session_id: string | null;
		user_id: string | null;
		/** The newest first, at most 20. */
		annotations?: Array<ShownAnnotation>;
		/** How many there are, shown or not. */
		annotation_count?: number;
		/** By start time. */
		spans: Array<NarrowSpan>;
	};
	next_cursor: string | null;
};

export type TracesState = {
	kind: "sqlite" | "postgres" | "clickhouse";
	/** As this server saw it last. `read_only` and `full`: exports are refused, reading goes on. `behind`: a replica is read that lacks the latest. `incomplete`: a shard is away. */
	state: "ok" | "behind" | "read_only" | "full" | "unreachable" | "incomplete";
	/** How long ago a span may have been stored that lists do not show yet. */
	delay_seconds: number;
	/** What deleted data still take on the disk, about; null while it is not known. */
	pending_delete_bytes: number | null;
	/** The least time between two inserts of this server while it is busy; null where each batch is committed at once, which is so but with ClickHouse. */
	insert_interval_ms: number | null;
	/** Rows of spans and traces that a former version's reading of attributes has made, and that are being made anew since an upgrade; null while it is not known. Always 0 but with ClickHouse. */
	older_rows: number | null;
};

export type TransferTracesAnswer = {
	data: {
		transferred_trace_count: number;
		destination_project_id: string;
	};
};

export type TryLdapBodyInput = {
	username: string;
	/** Without it the entry, its groups and its role are looked up, and nobody is logged in at the directory. */
	password?: string;
};

export type UpdateAnnotationInput = {
	annotator_kind?: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	metadata?: { [key: string]: unknown } | null;
};

export type UpdateModelPriceBodyInput = {
	name?: string;
	/** How the pattern is compared with the model's name, in any case; `regex`: RE2 syntax, anywhere in the name. */
	match?: "exact" | "prefix" | "suffix" | "contains" | "regex";
	pattern?: string;
	provider?: string | null;
	start_time?: string | null;
	/** US dollars per million tokens; input or output at least. */
	prices?: {
		input?: number;
		output?: number;
		cache_read?: number;
		cache_write?: number;
		reasoning?: number;
	};
};

export type UpdateRetentionPolicyBodyInput = {
	name?: string;
	/** When it runs: minute, hour, day of the month, month, day of the week, in UTC. */
	cron?: string;
	max_days?: number | null;
	max_traces?: number | null;
	/** Keep traces that have an annotation, or whose session, span or document has one. */
	keep_annotated?: boolean;
};

export type UpdateSecretsBodyInput = {
	secrets: Array<{
		key: string;
		value: string | null;
	}>;
};

export type User = {
	id: string;
	created_at: string;
	updated_at: string;
	/** Empty for an LDAP user without one. */
	email: string;
	username: string;
	role: "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
	auth_method: "LOCAL" | "OAUTH2" | "LDAP";
	/** Of `LOCAL` users: a new password is due. */
	password_needs_reset?: boolean;
	/** Of `OAUTH2` and `LDAP` users: whether a log-in has bound the account to its identity. A directory without unique ids binds none. */
	is_bound?: boolean;
	/** The provider of the last log-in. */
	oauth2_provider?: string;
	oauth2_client_id?: string;
	oauth2_user_id?: string;
	ldap_unique_id?: string;
	profile_picture_url?: string;
	last_login_at?: string;
};

export type UserApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to distinguish keys: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Null: all that its owner may. */
	permissions: Array<"read" | "ingest" | "annotate" | "write"> | null;
	/** The only ones that it reaches, of those that still exist and that the caller sees. Null: all. */
	projects: Array<{
		id: string;
		name: string;
	}> | null;
	/** Further projects that it reaches, and the caller does not see. */
	hidden_project_count: number;
	include_library: boolean;
	ip_ranges: Array<string> | null;
	allowed_origins: Array<string> | null;
	limits: {
		requests_per_minute: number | null;
		spans_per_day: number | null;
	};
	/** Spans sent since midnight UTC, some seconds ago; null without a limit on them. */
	spans_today: number | null;
	last_used_ip: string | null;
	/** To the minute. */
	last_refused_at: string | null;
	/** Code of the error. */
	last_refused_code: string | null;
	/** The key in whose place a rotation put this one. */
	replaces: string | null;
	replaced_by: string | null;
};

export type UserApiKeyPage = {
	data: Array<UserApiKey>;
	next_cursor: string | null;
};

export type UserPage = {
	data: Array<User>;
	next_cursor: string | null;
};

export type WaitingAnnotation = {
	id: string;
	target: "span" | "trace" | "session" | "document";
	/** Of the span, trace or session, as it was sent, in lower case where it is hex. */
	target_id: string;
	document_position: number | null;
	/** Null: any project. */
	project_id: string | null;
	name: string;
	annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result: AnnotationResult;
	metadata: { [key: string]: unknown };
	identifier: string;
	source: "API" | "APP";
	user_id: string | null;
	created_at: string;
	/** What it waits for. */
	reason: string;
};

export type WaitingAnnotationPage = {
	data: Array<WaitingAnnotation>;
	next_cursor: string | null;
};

/** By method and path. */
export interface Operations {
	get: {
		/** The process runs */
		"/healthz": {
			response: string;
		};
		/** The database answers, and the server is not about to stop */
		"/readyz": {
			response: { [key: string]: unknown };
		};
		/** The API level that released clients ask for */
		"/arize_phoenix_version": {
			response: string;
		};
		/** The version of Spanward */
		"/version": {
			response: {
				version: string;
				compatibility: string;
			};
		};
		/** Counters of received, rejected and waiting spans since the start */
		"/v1/ingest/health": {
			response: {
				data: IngestHealth;
			};
		};
		/** Where a provider sends the browser back to */
		"/oauth2/{provider_id}/tokens": {
			path: {
				provider_id: string;
			};
			response: undefined;
		};
		/** How programs ask to be let in (RFC 8414) */
		"/.well-known/oauth-authorization-server": {
			response: {
				issuer: string;
			};
		};
		/** Where programs ask to be let in (RFC 9728) */
		"/.well-known/oauth-protected-resource": {
			response: {
				resource: string;
				authorization_servers: Array<string>;
			};
		};
		/** Where a program sends the browser of a user to be let in (RFC 6749, 4.1.1) */
		"/oauth2/authorize": {
			response: undefined;
		};
		/** What a program asks for, for the page on which a user decides */
		"/oauth2/authorize/request": {
			response: {
				client: {
					client_id: string;
					name: string;
					kind: "seeded" | "registered" | "admin" | "metadata";
					created_at: string;
				};
				user: {
					id: string;
					username: string;
					email: string | null;
					role: string;
				};
				requested: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
				suggested: Array<"read" | "ingest" | "annotate" | "write" | "admin">;
				available: Array<"read" | "ingest" | "annotate" | "write" | "admin">;
				resource: {
					kind: "api" | "mcp";
					url: string;
				};
				max_days: number;
				redirect: {
					kind: string;
					host: string;
				};
			};
		};
		/** Programs that one let in oneself, newest first */
		"/v1/user/oauth2_grants": {
			response: OAuth2GrantPage;
		};
		/** Page through the programs that users let in, newest first */
		"/v1/oauth2_grants": {
			query?: {
				/** Id of a user. */
				user?: string;
				/** Id of a client. */
				client?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: OwnedOAuth2GrantPage;
		};
		/** Page through the programs that are registered, newest first */
		"/v1/oauth2_clients": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: OAuth2ClientPage;
		};
		/** End every session of the user and go to the log-in page */
		"/auth/logout": {
			response: undefined;
		};
		/** List one's own sessions, newest first */
		"/v1/user/sessions": {
			response: {
				data: Array<{
					id: string;
					/** When the user logged in. */
					created_at: string;
					last_used_at: string;
					/** When it ends by itself, unless it is used before. */
					expires_at: string;
					ip: string;
					user_agent: string;
					/** Whether the request comes from it. */
					current: boolean;
				}>;
				next_cursor: null;
			};
		};
		/** Page through projects, newest first */
		"/v1/projects": {
			query?: {
				/** `id` by creation, `name` by the alphabet in any case; the others by what the projects did in the last 24 hours, those without any last. */
				sort?: "id" | "name" | "span_count" | "error_rate" | "token_count_total" | "total_cost" | "latency_p50" | "latency_p95" | "newest_trace_start_time";
				order?: "asc" | "desc";
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Part of the name, in any case. */
				name_contains?: string;
				/** Include projects created for experiments. */
				include_experiment_projects?: boolean;
				include_dataset_evaluator_projects?: boolean;
				/** `activity`: what each project did in the last 24 hours; `access`: who sees it, and one's own role there. */
				include?: Array<"activity" | "access">;
			};
			response: ProjectPage;
		};
		/** Fetch a project by id or name */
		"/v1/projects/{project_identifier}": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `access`: who sees the project, and one's own role there. */
				include?: Array<"access">;
			};
			response: {
				data: Project;
			};
		};
		/** Fetch the retention policy of a project */
		"/v1/projects/{project_identifier}/retention": {
			path: {
				project_identifier: string;
			};
			response: {
				data: ProjectRetention;
			};
		};
		/** Say which traces a retention policy would delete now; nothing is deleted */
		"/v1/projects/{project_identifier}/retention/preview": {
			path: {
				project_identifier: string;
			};
			query?: {
				max_days?: number;
				max_traces?: number;
				keep_annotated?: boolean;
			};
			response: {
				data: RetentionPreview;
			};
		};
		/** Counts, errors, latency, tokens and cost over time */
		"/v1/projects/{project_identifier}/metrics": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Inclusive; seven days before the end when absent. */
				start_time?: string;
				/** Exclusive; now when absent. */
				end_time?: string;
				/** Chosen by the range when absent. */
				bucket?: "minute" | "hour" | "day";
				group_by?: "model" | "kind" | "name";
			};
			response: Metrics;
		};
		/** Counts, errors, latency, tokens and cost of the traces that match, over time */
		"/v1/projects/{project_identifier}/trace_metrics": {
			path: {
				project_identifier: string;
			};
			query?: {
				start_time?: string;
				end_time?: string;
				/** Session ids or global ids. */
				session_identifier?: Array<string>;
				session_id?: Array<string>;
				/** With (true) or without (false) a span in error. */
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				/** Name of the root span, exact. */
				name?: Array<string>;
				user_id?: Array<string>;
				/** Any span answered by one of these models. */
				model?: Array<string>;
				/** All words occur in one span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				bucket?: "minute" | "hour" | "day";
			};
			response: RowMetrics;
		};
		/** Counts, errors, latency, tokens and cost of the spans that match, over time */
		"/v1/projects/{project_identifier}/span_metrics": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Inclusive, on the start of the span. */
				start_time?: string;
				/** Exclusive, on the start of the span. */
				end_time?: string;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** Exact. */
				name?: Array<string>;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				user_id?: Array<string>;
				session_id?: Array<string>;
				model?: Array<string>;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
				bucket?: "minute" | "hour" | "day";
			};
			response: RowMetrics;
		};
		/** Page through the traces of a project */
		"/v1/projects/{project_identifier}/traces": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** A field of the traces; those without a cost come last in either order. With `score.` and the name of annotations, only traces with such a score, of their own or of their root span, by the mean. */
				sort?: "start_time" | "latency_ms" | "total_cost" | "token_count_total" | "error_count" | "span_count" | string;
				order?: "asc" | "desc";
				/** 100 when absent. */
				limit?: number;
				/** `next_cursor` of the page before. */
				cursor?: string;
				include_spans?: boolean;
				/** `annotations`: those of the trace and of its root span. */
				include?: Array<"annotations">;
				start_time?: string;
				end_time?: string;
				/** Session ids or global ids. */
				session_identifier?: Array<string>;
				session_id?: Array<string>;
				/** With (true) or without (false) a span in error. */
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				/** Name of the root span, exact. */
				name?: Array<string>;
				user_id?: Array<string>;
				/** Any span answered by one of these models. */
				model?: Array<string>;
				/** All words occur in one span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
			};
			response: TracePage;
		};
		/** A trace with its spans */
		"/v1/projects/{project_identifier}/traces/{trace_id}": {
			path: {
				project_identifier: string;
				trace_id: string;
			};
			query?: {
				/** 1000 when absent. */
				limit?: number;
				/** `next_cursor` of the page before. */
				cursor?: string;
				include?: Array<"semantic" | "attributes" | "content_digests" | "annotations">;
				/** `false` leaves the `cumulative_*` fields out; they cost a walk over the whole trace. */
				cumulative?: boolean;
			};
			response: TraceWithSpans;
		};
		/** A span with everything that was sent and what it means */
		"/v1/projects/{project_identifier}/traces/{trace_id}/spans/{span_id}": {
			path: {
				project_identifier: string;
				trace_id: string;
				span_id: string;
			};
			query?: {
				/** `false` leaves the `cumulative_*` fields out; they cost a walk over the whole trace. */
				cumulative?: boolean;
			};
			response: SpanDetailAnswer;
		};
		/** What to look at first of a trace, within a size */
		"/v1/projects/{project_identifier}/traces/{trace_id}/outline": {
			path: {
				project_identifier: string;
				trace_id: string;
			};
			query?: {
				/** The size of `text`, and of the rest, 500 to 50000; four bytes count as a token. */
				max_tokens?: number;
				/** Only what is below the span with this id, itself included. */
				under?: string;
			};
			response: TraceOutlineAnswer;
		};
		/** New and changed traces as server-sent events */
		"/v1/projects/{project_identifier}/stream": {
			path: {
				project_identifier: string;
			};
			response: string;
		};
		/** Page through spans with simple filters */
		"/v1/projects/{project_identifier}/spans": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** A field of the spans, `id` by arrival; `status_code` with those in error first if descending; those without a cost or tokens come last in either order. With `score.` and the name of annotations, only spans with such a score, by the mean. */
				sort?: "id" | "start_time" | "latency_ms" | "total_cost" | "token_count_total" | "status_code" | string;
				order?: "asc" | "desc";
				/** Inclusive, on the start of the span. */
				start_time?: string;
				/** Exclusive, on the start of the span. */
				end_time?: string;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** Exact. */
				name?: Array<string>;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				user_id?: Array<string>;
				session_id?: Array<string>;
				model?: Array<string>;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
				include?: Array<"semantic" | "annotations">;
				/** `summary` leaves attributes and events empty, which is quicker. */
				view?: "full" | "summary";
			};
			response: SpanPage;
		};
		/** Page through spans exactly as they were sent */
		"/v1/projects/{project_identifier}/spans/otlpv1": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Inclusive, on the start of the span. */
				start_time?: string;
				/** Exclusive, on the start of the span. */
				end_time?: string;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** Exact. */
				name?: Array<string>;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				user_id?: Array<string>;
				session_id?: Array<string>;
				model?: Array<string>;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
			};
			response: OtlpSpanPage;
		};
		/** All spans that match, the newest first, as a data frame in an Arrow IPC stream */
		"/v1/projects/{project_identifier}/spans.arrow": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Inclusive, on the start of the span. */
				start_time?: string;
				/** Exclusive, on the start of the span. */
				end_time?: string;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** Exact. */
				name?: Array<string>;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				user_id?: Array<string>;
				session_id?: Array<string>;
				model?: Array<string>;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
				/** At most so many spans, the newest; all without it. */
				limit?: number;
				/** Only spans without a parent id, and those whose parent was never stored. */
				root_spans_only?: boolean;
				/** Fields and attributes that are columns; all without it. */
				select?: Array<string>;
			};
			response: string;
		};
		/** All spans that match, one JSON object a line */
		"/v1/projects/{project_identifier}/spans.ndjson": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Inclusive, on the start of the span. */
				start_time?: string;
				/** Exclusive, on the start of the span. */
				end_time?: string;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** Exact. */
				name?: Array<string>;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				error?: boolean;
				min_latency_ms?: number;
				max_latency_ms?: number;
				user_id?: Array<string>;
				session_id?: Array<string>;
				model?: Array<string>;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
				/** By arrival. */
				order?: "asc" | "desc";
				/** At most so many spans; all without it. */
				limit?: number;
				include?: Array<"semantic">;
				/** Each line a Span, or an OtlpSpan. */
				format?: "rest" | "otlp";
			};
			response: string;
		};
		/** What filters may ask for: attributes and frequent values of a sample of spans */
		"/v1/projects/{project_identifier}/sampled_values": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Inclusive, on the start of the span. */
				start_time?: string;
				/** Exclusive, on the start of the span. */
				end_time?: string;
			};
			response: SampledValues;
		};
		/** Page through the sessions of a project */
		"/v1/projects/{project_identifier}/sessions": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** A field of the sessions, `id` by arrival; those without a cost come last in either order. With `score.` and the name of annotations, only sessions with such a score, by the mean. */
				sort?: "id" | "start_time" | "end_time" | "trace_count" | "span_count" | "error_count" | "token_count_total" | "total_cost" | string;
				order?: "asc" | "desc";
				/** Inclusive, on the start of the session. */
				start_time?: string;
				/** Exclusive, on the start of the session. */
				end_time?: string;
				user_id?: Array<string>;
				error?: boolean;
				/** All words occur in one span of the session. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				include?: Array<"annotations">;
				/** False leaves `traces` empty. */
				include_traces?: boolean;
			};
			response: SessionPage;
		};
		/** Fetch a session with its traces */
		"/v1/sessions/{session_identifier}": {
			path: {
				session_identifier: string;
			};
			query?: {
				project?: string;
				include?: Array<"annotations">;
			};
			response: {
				data: Session;
			};
		};
		/** Count what is selected, and what would be deleted with it */
		"/v1/projects/{project_identifier}/selection": {
			path: {
				project_identifier: string;
			};
			query: {
				/** Which list the selection is from. */
				kind: "span" | "trace" | "session";
				/** Ids as they were sent, or global ids; at most 1000, and no filter then. */
				id?: Array<string>;
				/** Inclusive, on the start of the span, trace or session. */
				start_time?: string;
				/** Exclusive, on the start of the span, trace or session. */
				end_time?: string;
				user_id?: Array<string>;
				error?: boolean;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** Session ids or global ids. */
				session_identifier?: Array<string>;
				session_id?: Array<string>;
				min_latency_ms?: number;
				max_latency_ms?: number;
				/** Exact. */
				name?: Array<string>;
				model?: Array<string>;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
			};
			response: {
				data: SelectionSummary;
			};
		};
		/** Download the spans of a selection: of traces and sessions, all their spans */
		"/v1/projects/{project_identifier}/selection/download": {
			path: {
				project_identifier: string;
			};
			query: {
				/** Which list the selection is from. */
				kind: "span" | "trace" | "session";
				/** Ids as they were sent, or global ids; at most 1000, and no filter then. */
				id?: Array<string>;
				/** Inclusive, on the start of the span, trace or session. */
				start_time?: string;
				/** Exclusive, on the start of the span, trace or session. */
				end_time?: string;
				user_id?: Array<string>;
				error?: boolean;
				/** All words occur in the span: its name, ids, attributes, events or status message. */
				q?: string;
				/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
				filter?: string;
				/** Session ids or global ids. */
				session_identifier?: Array<string>;
				session_id?: Array<string>;
				min_latency_ms?: number;
				max_latency_ms?: number;
				/** Exact. */
				name?: Array<string>;
				model?: Array<string>;
				trace_id?: Array<string>;
				span_id?: Array<string>;
				/** `null` for spans without a parent id. */
				parent_id?: string;
				/** OK, ERROR or UNSET, in any case. */
				status_code?: Array<string>;
				/** `key:value`, the value as JSON, else as text; all have to match. */
				attribute?: Array<string>;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
				/** OTLP/JSON as `POST /v1/traces` takes it, a span as JSON a line, or a table. */
				format: "otlp" | "ndjson" | "csv";
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** Page through the bulk runs, newest first */
		"/v1/bulk_runs": {
			query?: {
				/** Name or id; all projects when absent. */
				project?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: BulkRunPage;
		};
		/** Progress of a bulk run */
		"/v1/bulk_runs/{run_id}": {
			path: {
				run_id: string;
			};
			response: {
				data: BulkRun;
			};
		};
		/** List the annotations of spans, newest first */
		"/v1/projects/{project_identifier}/span_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** As they were sent, or global ids. */
				span_ids?: Array<string>;
				identifier?: Array<string>;
				/** Only these names. */
				include_annotation_names?: Array<string>;
				/** Not these names, such as `note`. */
				exclude_annotation_names?: Array<string>;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
			};
			response: SpanAnnotationPage;
		};
		/** List the annotations of traces, newest first */
		"/v1/projects/{project_identifier}/trace_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** As they were sent, or global ids. */
				trace_ids?: Array<string>;
				identifier?: Array<string>;
				/** Only these names. */
				include_annotation_names?: Array<string>;
				/** Not these names, such as `note`. */
				exclude_annotation_names?: Array<string>;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
			};
			response: TraceAnnotationPage;
		};
		/** List the annotations of sessions, newest first */
		"/v1/projects/{project_identifier}/session_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** The application's session ids, or global ids. */
				session_ids?: Array<string>;
				identifier?: Array<string>;
				/** Only these names. */
				include_annotation_names?: Array<string>;
				/** Not these names, such as `note`. */
				exclude_annotation_names?: Array<string>;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
			};
			response: SessionAnnotationPage;
		};
		/** List the annotations of documents, newest first */
		"/v1/projects/{project_identifier}/document_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** As they were sent, or global ids. */
				span_ids?: Array<string>;
				identifier?: Array<string>;
				/** Only these names. */
				include_annotation_names?: Array<string>;
				/** Not these names, such as `note`. */
				exclude_annotation_names?: Array<string>;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
			};
			response: DocumentAnnotationPage;
		};
		/** The names of a project's annotations, by target and name */
		"/v1/projects/{project_identifier}/annotation_names": {
			path: {
				project_identifier: string;
			};
			response: AnnotationNames;
		};
		/** Fetch an annotation or note by its id */
		"/v1/annotations/{annotation_id}": {
			path: {
				annotation_id: string;
			};
			response: OneAnnotation;
		};
		/** Page through the annotations whose target has not arrived, newest first, each with what it waits for */
		"/v1/waiting_annotations": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: WaitingAnnotationPage;
		};
		/** Page through the configs assigned to a project */
		"/v1/projects/{project_identifier}/annotation_configs": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: AnnotationConfigPage;
		};
		/** Page through all annotation configs, newest first */
		"/v1/annotation_configs": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: AnnotationConfigPage;
		};
		/** Fetch one annotation config by id or name */
		"/v1/annotation_configs/{config_identifier}": {
			path: {
				config_identifier: string;
			};
			response: {
				data: CategoricalAnnotationConfig | ContinuousAnnotationConfig | FreeformAnnotationConfig;
			};
		};
		/** Page through datasets, newest first */
		"/v1/datasets": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
				/** Exact. */
				name?: string;
				/** Id or name: only those that live in this project; `library` for those of the library. */
				project?: string;
			};
			response: DatasetPage;
		};
		/** Fetch a dataset */
		"/v1/datasets/{id}": {
			path: {
				id: string;
			};
			response: {
				data: Dataset;
			};
		};
		/** Page through the versions of a dataset, newest first */
		"/v1/datasets/{id}/versions": {
			path: {
				id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
			};
			response: DatasetVersionPage;
		};
		/** Examples of a version, those in any of the given splits */
		"/v1/datasets/{id}/examples": {
			path: {
				id: string;
			};
			query?: {
				/** The newest version if absent. */
				version_id?: string;
				/** Id or name. */
				split?: Array<string>;
				/** All words occur in the id, the input, the output or the metadata. */
				q?: string;
				limit?: number;
				/** `next_cursor` of the page before. */
				cursor?: string;
			};
			response: DatasetExamples;
		};
		/** Fetch an example */
		"/v1/datasets/{id}/examples/{example_id}": {
			path: {
				id: string;
				example_id: string;
			};
			query?: {
				/** The newest version if absent. */
				version_id?: string;
			};
			response: {
				data: DatasetExampleInSplits;
			};
		};
		/** An example's contents over time, newest first */
		"/v1/datasets/{id}/examples/{example_id}/revisions": {
			path: {
				id: string;
				example_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: DatasetExampleRevisionPage;
		};
		/** Download the examples as CSV */
		"/v1/datasets/{id}/csv": {
			path: {
				id: string;
			};
			query?: {
				/** The newest version if absent. */
				version_id?: string;
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** Download the examples, one JSON object a line */
		"/v1/datasets/{id}/jsonl": {
			path: {
				id: string;
			};
			query?: {
				/** The newest version if absent. */
				version_id?: string;
			};
			response: string;
		};
		/** Download the examples in OpenAI's fine-tuning format */
		"/v1/datasets/{id}/jsonl/openai_ft": {
			path: {
				id: string;
			};
			query?: {
				/** The newest version if absent. */
				version_id?: string;
			};
			response: string;
		};
		/** Download the examples in OpenAI's evals format */
		"/v1/datasets/{id}/jsonl/openai_evals": {
			path: {
				id: string;
			};
			query?: {
				/** The newest version if absent. */
				version_id?: string;
			};
			response: string;
		};
		/** Page through the splits of a dataset, newest first */
		"/v1/datasets/{dataset_identifier}/splits": {
			path: {
				dataset_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 10 when absent. */
				limit?: number;
			};
			response: DatasetSplitPage;
		};
		/** Page through the labels of datasets, newest first */
		"/v1/dataset_labels": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: DatasetLabelPage;
		};
		/** Fetch a label */
		"/v1/dataset_labels/{label_id}": {
			path: {
				label_id: string;
			};
			response: {
				data: DatasetLabel;
			};
		};
		/** The labels of a dataset */
		"/v1/datasets/{dataset_identifier}/labels": {
			path: {
				dataset_identifier: string;
			};
			response: {
				data: Array<DatasetLabel>;
			};
		};
		/** Page through the experiments of all datasets, newest first */
		"/v1/experiments": {
			query?: {
				/** A field of the experiments, `id` by creation, or `score.` and the name of a score, by its mean; experiments without one come last in either order. */
				sort?: "id" | "average_latency_ms" | "error_rate" | "total_cost" | "total_tokens" | string;
				order?: "asc" | "desc";
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
				/** Only those of this dataset. */
				dataset_id?: string;
			};
			response: ExperimentPage;
		};
		/** Page through experiments of a dataset, newest first */
		"/v1/datasets/{dataset_id}/experiments": {
			path: {
				dataset_id: string;
			};
			query?: {
				/** A field of the experiments, `id` by creation, or `score.` and the name of a score, by its mean; experiments without one come last in either order. */
				sort?: "id" | "average_latency_ms" | "error_rate" | "total_cost" | "total_tokens" | string;
				order?: "asc" | "desc";
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: ExperimentPage;
		};
		/** Fetch one experiment with run counts and scores */
		"/v1/experiments/{experiment_id}": {
			path: {
				experiment_id: string;
			};
			response: {
				data: Experiment;
			};
		};
		/** Tags currently on an experiment, by name */
		"/v1/experiments/{experiment_id}/tags": {
			path: {
				experiment_id: string;
			};
			response: {
				data: Array<ExperimentTag>;
			};
		};
		/** List runs of an experiment, newest first */
		"/v1/experiments/{experiment_id}/runs": {
			path: {
				experiment_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** Every run when absent. */
				limit?: number;
			};
			response: ExperimentRunPage;
		};
		/** Examples with missing or failed repetitions */
		"/v1/experiments/{experiment_id}/incomplete-runs": {
			path: {
				experiment_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: IncompleteRunPage;
		};
		/** Runs lacking successful evaluations by the given names */
		"/v1/experiments/{experiment_id}/incomplete-evaluations": {
			path: {
				experiment_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
				/** At least one. */
				evaluation_name?: Array<string>;
			};
			response: IncompleteEvaluationPage;
		};
		/** Download all runs with evaluations as JSON */
		"/v1/experiments/{experiment_id}/json": {
			path: {
				experiment_id: string;
			};
			response: Array<ExperimentRunRecord>;
		};
		/** Download all runs with evaluations as CSV */
		"/v1/experiments/{experiment_id}/csv": {
			path: {
				experiment_id: string;
			};
			query?: {
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** Compare experiments example by example with a base, and metric by metric */
		"/v1/datasets/{dataset_id}/experiments/compare": {
			path: {
				dataset_id: string;
			};
			query: {
				/** Up to 5; the first is the base that the others are compared with. */
				experiment_id: Array<string>;
				/** `regression`: the example with the largest loss against the base comes first. */
				sort?: "example" | "regression";
				/** The evaluations' name that `sort=regression` looks at; the base's first when absent. */
				metric?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: ExperimentComparison;
		};
		/** Page through prompts, newest first */
		"/v1/prompts": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Part of the name, in any case. */
				name_contains?: string;
				/** Only prompts of which a version has this tag. */
				tag?: string;
				/** Id or name: only those that live in this project; `library` for those of the library. */
				project?: string;
			};
			response: PromptPage;
		};
		/** Fetch a prompt by id or name */
		"/v1/prompts/{prompt_identifier}": {
			path: {
				prompt_identifier: string;
			};
			response: {
				data: Prompt;
			};
		};
		/** Page through versions of a prompt, newest first */
		"/v1/prompts/{prompt_identifier}/versions": {
			path: {
				prompt_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: PromptVersionPage;
		};
		/** Fetch the newest version of a prompt */
		"/v1/prompts/{prompt_identifier}/latest": {
			path: {
				prompt_identifier: string;
			};
			response: {
				data: PromptVersion;
			};
		};
		/** Fetch the prompt version carrying a tag */
		"/v1/prompts/{prompt_identifier}/tags/{tag_name}": {
			path: {
				prompt_identifier: string;
				tag_name: string;
			};
			response: {
				data: PromptVersion;
			};
		};
		/** Fetch one prompt version by id */
		"/v1/prompt_versions/{prompt_version_id}": {
			path: {
				prompt_version_id: string;
			};
			response: {
				data: PromptVersion;
			};
		};
		/** Differences between two versions */
		"/v1/prompt_versions/{prompt_version_id}/diff": {
			path: {
				prompt_version_id: string;
			};
			query: {
				/** Id of the version before. */
				against: string;
			};
			response: {
				data: PromptVersionDiff;
			};
		};
		/** Page through spans that name this version, newest first, without their attributes */
		"/v1/prompt_versions/{prompt_version_id}/spans": {
			path: {
				prompt_version_id: string;
			};
			query?: {
				/** Id or name; every project when absent. */
				project?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: SpanPage;
		};
		/** Page through tags of a prompt version, newest first */
		"/v1/prompt_versions/{prompt_version_id}/tags": {
			path: {
				prompt_version_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: PromptVersionTagPage;
		};
		/** Page through retention policies, the default one first */
		"/v1/retention_policies": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: RetentionPolicyPage;
		};
		/** Fetch a retention policy */
		"/v1/retention_policies/{policy_id}": {
			path: {
				policy_id: string;
			};
			response: {
				data: RetentionPolicy;
			};
		};
		/** Page through the runs of retention policies, newest first */
		"/v1/retention_runs": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Id or name of a project. */
				project?: string;
				policy_id?: string;
			};
			response: RetentionRunPage;
		};
		/** Page through model prices: custom ones, newest first, then the built-in ones */
		"/v1/model_prices": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Part of the name or the pattern, in any case. */
				name_contains?: string;
				origin?: "built_in" | "own";
			};
			response: ModelPricePage;
		};
		/** Fetch a price, custom or built-in */
		"/v1/model_prices/{price_id}": {
			path: {
				price_id: string;
			};
			response: {
				data: ModelPrice;
			};
		};
		/** Page through the recomputations of a project's costs, newest first */
		"/v1/projects/{project_identifier}/cost_recomputations": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: CostRecomputationPage;
		};
		/** Progress of a recomputation of costs */
		"/v1/cost_recomputations/{recomputation_id}": {
			path: {
				recomputation_id: string;
			};
			response: {
				data: CostRecomputation;
			};
		};
		/** How full the storage is, and whether anything new can be stored */
		"/v1/storage": {
			response: {
				data: StorageState;
			};
		};
		/** Page through the servers that have traces, by shard and replica */
		"/v1/storage/nodes": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: StorageNodePage;
		};
		/** Page through the repairs of traces, newest first */
		"/v1/storage/repairs": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: StorageRepairPage;
		};
		/** Progress of a repair */
		"/v1/storage/repairs/{repair_id}": {
			path: {
				repair_id: string;
			};
			response: {
				data: StorageRepair;
			};
		};
		/** Fetch the user that the request acts as */
		"/v1/user": {
			response: {
				data: OwnUser | AnonymousUser;
			};
		};
		/** Page through users, newest first */
		"/v1/users": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: UserPage;
		};
		/** Page through teams, newest first */
		"/v1/teams": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Part of the name, in any case. */
				q?: string;
			};
			response: TeamPage;
		};
		/** Fetch a team, with where it has a role */
		"/v1/teams/{team_id}": {
			path: {
				team_id: string;
			};
			response: {
				data: Team;
			};
		};
		/** Page through the members of a team, with who says so */
		"/v1/teams/{team_id}/members": {
			path: {
				team_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: TeamMemberPage;
		};
		/** What new projects begin with, and what members may do where nothing else says so */
		"/v1/access_policy": {
			response: {
				data: AccessPolicy;
			};
		};
		/** Page through rules, oldest first */
		"/v1/access_rules": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: AccessRulePage;
		};
		/** Get a rule, with the ETag by which it is changed */
		"/v1/access_rules/{rule_id}": {
			path: {
				rule_id: string;
			};
			response: {
				data: AccessRule;
			};
		};
		/** Find whom to give a role: exact username or email, or the beginning of a team's name */
		"/v1/access_subjects": {
			query: {
				q: string;
			};
			response: {
				data: Array<Subject>;
			};
		};
		/** Who may see and do what in a project; others than managers learn their own role */
		"/v1/projects/{project_identifier}/access": {
			path: {
				project_identifier: string;
			};
			response: {
				data: HomeAccess;
			};
		};
		/** Who may see and do what with datasets and prompts of no project */
		"/v1/library/access": {
			response: {
				data: HomeAccess;
			};
		};
		/** Page through everybody who has a role in a project, with the reasons, by username */
		"/v1/projects/{project_identifier}/access/people": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: AccessPersonPage;
		};
		/** Page through everybody who sees datasets and prompts of no project, with the reasons, by username */
		"/v1/library/access/people": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: AccessPersonPage;
		};
		/** Download everybody who has a role in a project, with the reasons, as CSV */
		"/v1/projects/{project_identifier}/access/people/csv": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** Download everybody who sees datasets and prompts of no project, with the reasons, as CSV */
		"/v1/library/access/people/csv": {
			query?: {
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** Who would not see a project any more if it were restricted now, and whose keys would be refused */
		"/v1/projects/{project_identifier}/access/restricting": {
			path: {
				project_identifier: string;
			};
			response: {
				data: RestrictingEffects;
			};
		};
		/** Page through keys that are limited to this project, or to some with it, newest first */
		"/v1/projects/{project_identifier}/api_keys": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: KeyOfProjectPage;
		};
		/** What a user, a team or a key may do, and why */
		"/v1/access_check": {
			query: {
				/** `user:<id>`, `team:<id>`, `api_key:<id>` or `oauth2_grant:<id>`. */
				subject: string;
				/** Id or name; `library` is not one, see `library`. */
				project?: string;
				/** Id or name: its home is checked. */
				dataset?: string;
				/** Id or name: its home is checked. */
				prompt?: string;
				/** The library. */
				library?: "true";
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: {
				data: AccessCheck;
			} | CheckedHomePage;
		};
		/** Download what a user, a team or a key may do, and why, as CSV */
		"/v1/access_check/csv": {
			query: {
				/** `user:<id>`, `team:<id>`, `api_key:<id>` or `oauth2_grant:<id>`. */
				subject: string;
				/** Id or name; `library` is not one, see `library`. */
				project?: string;
				/** Id or name: its home is checked. */
				dataset?: string;
				/** Id or name: its home is checked. */
				prompt?: string;
				/** The library. */
				library?: "true";
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** Page through what one sees oneself, with the role and the reason */
		"/v1/user/access": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: CheckedHomePage;
		};
		/** One's own API keys, newest first unless sorted otherwise; the system has none */
		"/v1/user/api_keys": {
			query?: {
				/** `created_at` when absent. */
				sort?: "created_at" | "last_used_at";
				/** `desc` when absent. */
				order?: "asc" | "desc";
				/** Only keys that were made, and last used if ever, more than so many days ago. */
				unused_days?: number;
			};
			response: UserApiKeyPage;
		};
		/** Fetch one's own API key, or, as an admin, any user's */
		"/v1/user/api_keys/{api_key_id}": {
			path: {
				api_key_id: string;
			};
			response: {
				data: UserApiKey;
			};
		};
		/** Page through the API keys of all users, newest first unless sorted otherwise */
		"/v1/users/api_keys": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** `created_at` when absent. */
				sort?: "created_at" | "last_used_at";
				/** `desc` when absent. */
				order?: "asc" | "desc";
				/** Only keys that were made, and last used if ever, more than so many days ago. */
				unused_days?: number;
			};
			response: OwnedApiKeyPage;
		};
		/** API keys of the system, newest first unless sorted otherwise */
		"/v1/system/api_keys": {
			query?: {
				/** `created_at` when absent. */
				sort?: "created_at" | "last_used_at";
				/** `desc` when absent. */
				order?: "asc" | "desc";
				/** Only keys that were made, and last used if ever, more than so many days ago. */
				unused_days?: number;
			};
			response: SystemApiKeyPage;
		};
		/** Fetch an API key of the system */
		"/v1/system/api_keys/{api_key_id}": {
			path: {
				api_key_id: string;
			};
			response: {
				data: SystemApiKey;
			};
		};
		/** The names of all secrets, without their values */
		"/v1/secrets": {
			response: SecretPage;
		};
		/** A secret with its value; reading it is recorded in the audit log */
		"/v1/secrets/{secret_key}": {
			path: {
				secret_key: string;
			};
			response: {
				data: SecretWithValue;
			};
		};
		/** Page through the audit log, newest first, or export it */
		"/v1/audit_events": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** What happened; several may be given. */
				action?: Array<"login" | "login.locked" | "logout" | "logout.everywhere" | "session.end" | "session.reuse" | "password.change" | "password.reset" | "password.reset_request" | "user.create" | "user.update" | "user.delete" | "user.bind" | "user.unbind" | "sign_in.try" | "mail.try" | "api_key.create" | "api_key.update" | "api_key.rotate" | "api_key.expired_notice" | "api_key.delete" | "secret.write" | "secret.delete" | "secret.view" | "access.update" | "access.rule.create" | "access.rule.update" | "access.rule.delete" | "access.policy" | "team.create" | "team.update" | "team.delete" | "team.member.add" | "team.member.remove" | "mcp.write" | "oauth.client.create" | "oauth.client.update" | "oauth.client.delete" | "oauth.grant.create" | "oauth.grant.revoke" | "oauth.reuse" | "oauth.device" | "repair.start" | "repair.cancel" | "access.denied" | "access.widened" | "service.start">;
				outcome?: "success" | "failure" | "denied";
				/** Id or username of who did it. */
				actor?: string;
				/** Id or name of what it was done to. */
				target?: string;
				ip?: string;
				/** Entries from this time on. */
				start_time?: string;
				/** Entries before this time. */
				end_time?: string;
				/** ndjson streams all matching entries, one JSON object per line. */
				format?: "json" | "ndjson";
			};
			response: AuditEventPage;
		};
		/** The ways to sign in, their settings without secrets, and whether they work */
		"/v1/sign_in": {
			response: {
				data: SignInState;
			};
		};
		/** The results of one's own try; kept for ten minutes */
		"/v1/sign_in/tries/{try_id}": {
			path: {
				try_id: string;
			};
			response: {
				data: SignInTry;
			};
		};
		/** What a tool of the MCP endpoint answers, as text */
		"/v1/texts/{tool}": {
			path: {
				tool: "list_projects" | "describe_project" | "search_traces" | "search_spans" | "get_trace" | "compare_traces" | "get_span" | "list_sessions" | "get_session" | "list_annotations" | "list_datasets" | "get_examples" | "list_experiments" | "get_experiment" | "compare_experiments" | "list_prompts" | "get_prompt" | "explain_filter";
			};
			query?: {
				/** 500 to 50,000; 4,000 when absent. */
				max_tokens?: string;
			};
			response: string;
		};
		/** Page through what one's own agents called, newest first */
		"/v1/user/agent_calls": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: AgentCallPage;
		};
		/** Page through what everybody's agents called, newest first */
		"/v1/agent_calls": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: AgentCallPage;
		};
		/** Send the browser to a provider to log in */
		"/oauth2/{provider_id}/login": {
			path: {
				provider_id: string;
			};
			query?: {
				/** The page to open then, below the root path. */
				returnUrl?: string;
			};
			response: undefined;
		};
	};
	post: {
		/** Log in with email and password */
		"/auth/login": {
			body: {
				email?: string;
				password?: string;
			} | null;
			response: undefined;
		};
		/** Get new tokens for the refresh cookie */
		"/auth/refresh": {
			response: undefined;
		};
		/** Log in with the username and password of the directory */
		"/auth/ldap/login": {
			body: {
				username?: string;
				password?: string;
			} | null;
			response: undefined;
		};
		/** Let a program in, or refuse it */
		"/oauth2/authorize/decision": {
			body: {
				client_id: string;
				redirect_uri: string;
				response_type: string;
				code_challenge: string;
				code_challenge_method: string;
				state?: string | null;
				scope?: string | null;
				resource?: string | null;
				approved: boolean;
				permissions?: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
				projects?: Array<string> | null;
				include_library?: boolean | null;
				days?: number | null;
			};
			response: {
				redirect_to: string;
			};
		};
		/** What a program on another device asks for, by the code that it shows */
		"/oauth2/device/request": {
			body: {
				user_code: string;
			};
			response: {
				client: {
					client_id: string;
					name: string;
					kind: "seeded" | "registered" | "admin" | "metadata";
					created_at: string;
				};
				user: {
					id: string;
					username: string;
					email: string | null;
					role: string;
				};
				requested: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
				suggested: Array<"read" | "ingest" | "annotate" | "write" | "admin">;
				available: Array<"read" | "ingest" | "annotate" | "write" | "admin">;
				resource: {
					kind: "api" | "mcp";
					url: string;
				};
				max_days: number;
				user_code: string;
				asked_at: string;
				expires_at: string;
				ip: string;
				user_agent: string | null;
			};
		};
		/** Let in a program on another device, or refuse it */
		"/oauth2/device/decision": {
			body: {
				user_code: string;
				approved: boolean;
				permissions?: Array<"read" | "ingest" | "annotate" | "write" | "admin"> | null;
				projects?: Array<string> | null;
				include_library?: boolean | null;
				days?: number | null;
			};
			response: undefined;
		};
		/** Register a program */
		"/v1/oauth2_clients": {
			body: {
				name: string;
				/** Compared character by character, but for the port of loopback addresses. */
				redirect_uris: Array<string>;
				/** Whether it may ask with a device code. */
				device_flow?: boolean;
			};
			response: {
				data: OAuth2Client;
			};
		};
		/** End this session */
		"/auth/logout": {
			response: undefined;
		};
		/** End every session of the user */
		"/auth/logout-all": {
			response: undefined;
		};
		/** Request a mail with a link to choose a new password */
		"/auth/password-reset-email": {
			body: {
				email: string;
			};
			response: undefined;
		};
		/** Set a new password with the token of a mail */
		"/auth/password-reset": {
			body: {
				token: string;
				password: string;
			};
			response: undefined;
		};
		/** Create a project */
		"/v1/projects": {
			body: {
				name: string;
				description?: string | null;
			};
			response: {
				data: Project;
			};
		};
		/** Move traces to another project */
		"/v1/traces/transfer": {
			query?: {
				project?: string;
			};
			body: {
				trace_identifiers: Array<string>;
				destination_project_identifier: string;
				/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
				allow_wider_access?: boolean;
			};
			response: TransferTracesAnswer;
		};
		/** Create spans, all or none; they are stored when the answer comes */
		"/v1/projects/{project_identifier}/spans": {
			path: {
				project_identifier: string;
			};
			body: {
				data: Array<NewSpanInput>;
			};
			response: {
				total_received: number;
				total_queued: number;
			};
		};
		/** Spans as tables, one a query */
		"/v1/spans": {
			query?: {
				project_name?: string;
				"project-name"?: string;
			};
			body: SpanTablesBodyInput;
			response: string;
		};
		/** Delete several sessions; unknown ones are skipped */
		"/v1/sessions/delete": {
			query?: {
				project?: string;
			};
			body: {
				session_identifiers: Array<string>;
			};
			response: undefined;
		};
		/** Delete, move or annotate everything that is selected, or add it to a dataset */
		"/v1/projects/{project_identifier}/bulk_runs": {
			path: {
				project_identifier: string;
			};
			body: CreateBulkRunBodyInput;
			response: {
				data: BulkRun;
			};
		};
		/** Annotate spans; the same name and identifier on the same span replaces the annotation */
		"/v1/span_annotations": {
			query?: {
				sync?: boolean;
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: Array<NewSpanAnnotationInput>;
			};
			response: {
				/** In the order of the request; empty unless `sync`. */
				data: Array<InsertedAnnotation>;
			};
		};
		/** Annotate traces; the same name and identifier on the same trace replaces the annotation */
		"/v1/trace_annotations": {
			query?: {
				sync?: boolean;
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: Array<NewTraceAnnotationInput>;
			};
			response: {
				/** In the order of the request; empty unless `sync`. */
				data: Array<InsertedAnnotation>;
			};
		};
		/** Annotate sessions; the same name and identifier on the same session replaces the annotation */
		"/v1/session_annotations": {
			query?: {
				sync?: boolean;
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: Array<NewSessionAnnotationInput>;
			};
			response: {
				/** In the order of the request; empty unless `sync`. */
				data: Array<InsertedAnnotation>;
			};
		};
		/** Annotate documents; the same name and identifier on the same document replaces the annotation */
		"/v1/document_annotations": {
			query?: {
				sync?: boolean;
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: Array<NewDocumentAnnotationInput>;
			};
			response: {
				/** In the order of the request; empty unless `sync`. */
				data: Array<InsertedAnnotation>;
			};
		};
		/** Attach a note to a span */
		"/v1/span_notes": {
			query?: {
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: {
					span_id: string;
					note: string;
					/** The same identifier again replaces the note; without one, it is a new note. */
					identifier?: string | null;
				};
			};
			response: {
				data: InsertedAnnotation;
			};
		};
		/** Attach a note to a trace */
		"/v1/trace_notes": {
			query?: {
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: {
					trace_id: string;
					note: string;
					/** The same identifier again replaces the note; without one, it is a new note. */
					identifier?: string | null;
				};
			};
			response: {
				data: InsertedAnnotation;
			};
		};
		/** Attach a note to a session */
		"/v1/session_notes": {
			query?: {
				/** Name or id of the project; needed if an id exists in several. */
				project?: string;
			};
			body: {
				data: {
					session_id: string;
					note: string;
					/** The same identifier again replaces the note; without one, it is a new note. */
					identifier?: string | null;
				};
			};
			response: {
				data: InsertedAnnotation;
			};
		};
		/** Add a categorical, continuous or freeform annotation config */
		"/v1/annotation_configs": {
			body: AnnotationConfigBodyInput;
			response: {
				data: CategoricalAnnotationConfig | ContinuousAnnotationConfig | FreeformAnnotationConfig;
			};
		};
		/** Create examples from spans: their input, output and metadata */
		"/v1/datasets/{id}/examples/from_spans": {
			path: {
				id: string;
			};
			body: {
				/** Span ids in hex, or global ids. */
				span_ids: Array<string>;
				/** Name or id; narrows hex ids that several projects have. */
				project?: string | null;
				splits?: Array<string> | null;
				/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
				allow_wider_access?: boolean;
			};
			response: {
				data: DatasetChange;
			};
		};
		/** Create a split; with examples in it, this creates a new version */
		"/v1/datasets/{dataset_identifier}/splits": {
			path: {
				dataset_identifier: string;
			};
			body: {
				name: string;
				description?: string | null;
				color?: string | null;
				metadata?: { [key: string]: unknown } | null;
				/** Global ids, or your own ids of the examples. */
				example_ids?: Array<string> | null;
			};
			response: {
				data: DatasetSplit;
			};
		};
		/** Create a label for datasets */
		"/v1/dataset_labels": {
			body: {
				name: string;
				description?: string | null;
				color: string;
			};
			response: {
				data: DatasetLabel;
			};
		};
		/** Start an experiment on a dataset version */
		"/v1/datasets/{dataset_id}/experiments": {
			path: {
				dataset_id: string;
			};
			body: {
				/** The first 8 characters of the dataset's name and a random end when absent. */
				name?: string | null;
				description?: string | null;
				metadata?: { [key: string]: unknown } | null;
				/** The dataset's newest version when absent. */
				version_id?: string | null;
				/** Ids or names; every example when absent. */
				splits?: Array<string> | null;
				/** 1 when absent. */
				repetitions?: number;
			};
			response: {
				data: Experiment;
			};
		};
		/** Put a tag on an experiment, moving it from another one of the dataset */
		"/v1/experiments/{experiment_id}/tags": {
			path: {
				experiment_id: string;
			};
			body: {
				/** Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit. */
				name: string;
				description?: string | null;
			};
			response: {
				data: ExperimentTag;
			};
		};
		/** Record one task run; retry replaces failed runs */
		"/v1/experiments/{experiment_id}/runs": {
			path: {
				experiment_id: string;
			};
			body: {
				dataset_example_id: string;
				/** Any JSON. */
				output: unknown;
				/** From 1 to the experiment's `repetitions`. */
				repetition_number: number;
				start_time: string | number;
				end_time: string | number;
				trace_id?: string | null;
				/** Why the task failed; null for a successful run. */
				error?: string | null;
			};
			response: {
				data: {
					id: string;
				};
			};
		};
		/** Insert or replace an evaluation of a run by name */
		"/v1/experiment_evaluations": {
			body: {
				experiment_run_id: string;
				name: string;
				annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
				start_time: string | number;
				end_time: string | number;
				result?: {
					label?: string | null;
					score?: number | null;
					explanation?: string | null;
					/** Its members replace those of the evaluation's `metadata`. */
					metadata?: { [key: string]: unknown } | null;
				} | null;
				error?: string | null;
				metadata?: { [key: string]: unknown } | null;
				trace_id?: string | null;
			};
			response: {
				data: {
					id: string;
				};
			};
		};
		/** Create a prompt, or add a version to the one with this name */
		"/v1/prompts": {
			body: {
				prompt: {
					/** Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit. */
					name: string;
					description?: string | null;
					source_prompt_id?: string | null;
					metadata?: { [key: string]: unknown } | null;
					/** Id or name of the project where it is to live; null or `library` for the library. */
					project?: string | null;
				};
				version: PromptVersionDataInput;
			};
			response: {
				data: PromptVersion;
			};
		};
		/** Add a version (and tags) to an existing prompt */
		"/v1/prompts/{prompt_identifier}/versions": {
			path: {
				prompt_identifier: string;
			};
			body: {
				version: PromptVersionDataInput;
				tags?: Array<{
					/** Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit. */
					name: string;
					description?: string | null;
				}> | null;
			};
			response: {
				data: PromptVersion;
			};
		};
		/** Put a tag on a prompt version, moving it from another one of the prompt */
		"/v1/prompt_versions/{prompt_version_id}/tags": {
			path: {
				prompt_version_id: string;
			};
			body: {
				/** Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit. */
				name: string;
				description?: string | null;
			};
			response: undefined;
		};
		/** Create a retention policy */
		"/v1/retention_policies": {
			body: CreateRetentionPolicyBodyInput;
			response: {
				data: RetentionPolicy;
			};
		};
		/** Delete now what a retention policy says, in each of its projects */
		"/v1/retention_policies/{policy_id}/run": {
			path: {
				policy_id: string;
			};
			response: {
				data: Array<RetentionRun>;
			};
		};
		/** Set a custom price, which takes precedence over built-in ones */
		"/v1/model_prices": {
			body: CreateModelPriceBodyInput;
			response: {
				data: ModelPrice;
			};
		};
		/** Recompute the costs of a project's spans with the current prices */
		"/v1/projects/{project_identifier}/cost_recomputations": {
			path: {
				project_identifier: string;
			};
			body: CreateCostRecomputationBodyInput | null;
			response: {
				data: CostRecomputation;
			};
		};
		/** Look for damage of traces, and repair it */
		"/v1/storage/repairs": {
			body: CreateStorageRepairBodyInput;
			response: {
				data: StorageRepair;
			};
		};
		/** Create a user */
		"/v1/users": {
			body: {
				user: {
					auth_method: "LOCAL" | "OAUTH2" | "LDAP";
					email: string;
					/** 1 to 128 characters; names that look alike count as one. */
					username: string;
					role: "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
					/** Of a `LOCAL` user; a random one when absent. */
					password?: string | null;
					oauth2_client_id?: string | null;
					oauth2_user_id?: string | null;
				};
				/** True when absent. */
				send_welcome_email?: boolean;
			};
			response: {
				data: User;
			};
		};
		/** Create a team */
		"/v1/teams": {
			body: {
				/** Unique in any case. */
				name: string;
				description?: string | null;
				/** Groups at providers and in the directory that are the team's. They are kept; this version makes nobody a member by them. */
				external_groups?: Array<ExternalGroupInput>;
			};
			response: {
				data: Team;
			};
		};
		/** Give roles in all projects whose name fits a pattern, now and later */
		"/v1/access_rules": {
			body: {
				/** `*` stands for any characters, everything else for itself: `pay-*`. */
				pattern: string;
				/** What a new project begins with that fits; of several rules one that says restricted wins. */
				access_of_new?: "open" | "restricted" | null;
				grants?: Array<{
					subject: SubjectBodyInput;
					role: "viewer" | "annotator" | "editor" | "manager";
				}>;
				description?: string | null;
			};
			response: {
				data: AccessRule;
			};
		};
		/** Which projects a pattern fits */
		"/v1/access_rules/preview": {
			body: {
				/** `*` stands for any characters, everything else for itself: `pay-*`. */
				pattern: string;
			};
			response: {
				data: AccessRulePreview;
			};
		};
		/** Make the same change of access in many projects */
		"/v1/access/batch": {
			body: {
				/** Ids or names. */
				projects: Array<string>;
				change: AccessChangeInput;
				/** All or none: the first project that cannot be changed is the answer. */
				atomic?: boolean;
			};
			response: {
				data: Array<AccessBatchResult>;
			};
		};
		/** Who would not see projects any more after a change of access, and whose keys would be refused */
		"/v1/access/batch/preview": {
			body: {
				change: AccessChangeInput;
				/** Ids or names. */
				projects: Array<string>;
			};
			response: {
				data: Array<AccessPreview>;
			};
		};
		/** Create an API key for one's own account; it always has the account's current role */
		"/v1/user/api_keys": {
			body: {
				data: {
					/** 1 to 255 characters. */
					name: string;
					description?: string | null;
					/** The key is refused from this moment on; a time without an offset is UTC. If absent, it never expires. */
					expires_at?: string | null;
					/** What the key may do, as far as its owner may; `write` includes `annotate` and `ingest`. Null: all. */
					permissions?: Array<"read" | "ingest" | "annotate" | "write"> | null;
					/** Ids or names of the only projects that the key reaches. Null: all. */
					projects?: Array<string> | null;
					/** Whether a key with `projects` also reaches the datasets and prompts of no project. */
					include_library?: boolean | null;
					/** Addresses and ranges (CIDR) that the key may be used from. Null: everywhere. */
					ip_ranges?: Array<string> | null;
					/** Origins of web pages that may send with the key; only where `permissions` is `["ingest"]`. */
					allowed_origins?: Array<string> | null;
					limits?: {
						/** At each server. */
						requests_per_minute?: number | null;
						/** Of a day in UTC, at all servers together. */
						spans_per_day?: number | null;
					} | null;
				};
			};
			response: {
				data: CreatedUserApiKey;
			};
		};
		/** Replace one's own API key by a new one that is the same in everything */
		"/v1/user/api_keys/{api_key_id}/rotate": {
			path: {
				api_key_id: string;
			};
			body: {
				/** How long the replaced key goes on, at most until its own end; 86,400 when absent. */
				overlap_seconds?: number;
				/** Of the new key; that of the replaced one when absent. */
				expires_at?: string | null;
			} | null;
			response: {
				data: CreatedUserApiKey;
			};
		};
		/** Create a system API key, which has a member's rights and outlives its creator */
		"/v1/system/api_keys": {
			body: {
				data: {
					/** 1 to 255 characters. */
					name: string;
					description?: string | null;
					/** The key is refused from this moment on; a time without an offset is UTC. If absent, it never expires. */
					expires_at?: string | null;
					/** What the key may do, as far as its owner may; `write` includes `annotate` and `ingest`. Null: all. */
					permissions?: Array<"read" | "ingest" | "annotate" | "write"> | null;
					/** Ids or names of the only projects that the key reaches. Null: all. */
					projects?: Array<string> | null;
					/** Whether a key with `projects` also reaches the datasets and prompts of no project. */
					include_library?: boolean | null;
					/** Addresses and ranges (CIDR) that the key may be used from. Null: everywhere. */
					ip_ranges?: Array<string> | null;
					/** Origins of web pages that may send with the key; only where `permissions` is `["ingest"]`. */
					allowed_origins?: Array<string> | null;
					limits?: {
						/** At each server. */
						requests_per_minute?: number | null;
						/** Of a day in UTC, at all servers together. */
						spans_per_day?: number | null;
					} | null;
				};
			};
			response: {
				data: CreatedSystemApiKey;
			};
		};
		/** Replace an API key of the system by a new one that is the same in everything */
		"/v1/system/api_keys/{api_key_id}/rotate": {
			path: {
				api_key_id: string;
			};
			body: {
				/** How long the replaced key goes on, at most until its own end; 86,400 when absent. */
				overlap_seconds?: number;
				/** Of the new key; that of the replaced one when absent. */
				expires_at?: string | null;
			} | null;
			response: {
				data: CreatedSystemApiKey;
			};
		};
		/** Begin to sign in with a provider without being logged in: what it leads to is reported */
		"/v1/sign_in/providers/{provider_id}/try": {
			path: {
				provider_id: string;
			};
			body: {
				/** Makes the provider ask for the password even if the person is logged in there. */
				prompt?: "login";
			} | null;
			response: {
				data: StartedSignInTry;
			};
		};
		/** Look up a person in the directory, or check their password too, without logging anybody in */
		"/v1/sign_in/ldap/try": {
			body: TryLdapBodyInput;
			response: {
				data: SignInTry;
			};
		};
		/** Send a test mail, and report what the mail server says of it */
		"/v1/sign_in/mail/try": {
			body: {
				/** Where the test mail goes. */
				to: string;
			};
			response: {
				data: TestMailReport;
			};
		};
		/** Receive spans over OTLP */
		"/v1/traces": {
			body: unknown;
			response: undefined;
		};
		/** Receive GenAI events of spans, and events of coding agents, over OTLP */
		"/v1/logs": {
			body: unknown;
			response: undefined;
		};
		/** Send the browser to a provider to log in */
		"/oauth2/{provider_id}/login": {
			path: {
				provider_id: string;
			};
			query?: {
				/** The page to open then, below the root path. */
				returnUrl?: string;
			};
			response: undefined;
		};
		/** A program registers itself (RFC 7591) */
		"/oauth2/register": {
			response: {
				client_id: string;
			};
		};
		/** Get tokens (RFC 6749) */
		"/oauth2/token": {
			response: {
				access_token: string;
				token_type: "Bearer";
				expires_in: number;
				refresh_token: string;
				scope?: string;
			};
		};
		/** End an authorization (RFC 7009) */
		"/oauth2/revoke": {
			response: undefined;
		};
		/** Create a dataset, add to it, or replace its contents */
		"/v1/datasets/upload": {
			query?: {
				/** Answer with the result. Either way, everything is stored when the answer comes. */
				sync?: boolean;
				/** Where a new dataset is to live, unless the body says so; `library` for the library. */
				project?: string;
				allow_wider_access?: boolean;
			};
			body: {
				name: string;
				inputs: Array<{ [key: string]: unknown }>;
				/** One for each of `inputs`. */
				outputs?: Array<{ [key: string]: unknown }> | null;
				/** One for each of `inputs`. */
				metadata?: Array<{ [key: string]: unknown }> | null;
				/** Names of splits. One for each of `inputs`. */
				splits?: Array<string | Array<string> | null> | null;
				/** Hex ids of stored spans. One for each of `inputs`. */
				span_ids?: Array<string | null> | null;
				/** Your own ids of the examples. One for each of `inputs`. */
				example_ids?: Array<string | null> | null;
				description?: string | null;
				/** `create` (the name has to be free), `append`, or `update` (what is not in it is deleted). */
				action?: string | null;
				/** Id or name of the project where it is to live; null or `library` for the library. */
				project?: string | null;
				/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
				allow_wider_access?: boolean;
			} | {
				name: string;
				/** `text/csv`, `application/jsonl` or `application/x-pandas-pyarrow` (Arrow IPC stream); the part's `Content-Encoding` may be `gzip` or `deflate`. */
				file: string;
				/** Columns of the input. */
				"input_keys[]"?: Array<string>;
				"output_keys[]"?: Array<string>;
				"metadata_keys[]"?: Array<string>;
				/** Column with the name of a split, or a JSON list of names. */
				split_key?: string;
				/** Columns whose values are names of splits; instead of `split_key`. */
				"split_keys[]"?: Array<string>;
				span_id_key?: string;
				example_id_key?: string;
				/** Columns of objects whose members are taken instead of them. */
				"flatten_keys[]"?: Array<string>;
				/** `create` (the name has to be free), `append`, or `update` (what is not in it is deleted). */
				action?: string;
				description?: string;
				/** Id or name of the project where it is to live; `library` for the library. */
				project?: string;
				allow_wider_access?: "true" | "false";
			};
			response: {
				data: DatasetChange;
			} | null;
		};
	};
	put: {
		/** Change a project's description */
		"/v1/projects/{project_identifier}": {
			path: {
				project_identifier: string;
			};
			body: {
				description?: string | null;
			};
			response: {
				data: Project;
			};
		};
		/** Replace the set of configs assigned to a project */
		"/v1/projects/{project_identifier}/annotation_configs": {
			path: {
				project_identifier: string;
			};
			body: {
				annotation_config_ids: Array<string>;
			};
			response: AnnotationConfigPage;
		};
		/** Assign one config to a project; repeating it changes nothing */
		"/v1/projects/{project_identifier}/annotation_configs/{config_identifier}": {
			path: {
				project_identifier: string;
				config_identifier: string;
			};
			response: {
				data: CategoricalAnnotationConfig | ContinuousAnnotationConfig | FreeformAnnotationConfig;
			};
		};
		/** Replace an annotation config entirely */
		"/v1/annotation_configs/{config_id}": {
			path: {
				config_id: string;
			};
			body: AnnotationConfigBodyInput;
			response: {
				data: CategoricalAnnotationConfig | ContinuousAnnotationConfig | FreeformAnnotationConfig;
			};
		};
		/** Replace the labels of a dataset */
		"/v1/datasets/{dataset_identifier}/labels": {
			path: {
				dataset_identifier: string;
			};
			body: {
				dataset_label_ids?: Array<string>;
			};
			response: {
				data: Array<DatasetLabel>;
			};
		};
		/** Give a dataset a label */
		"/v1/datasets/{dataset_identifier}/labels/{label_id}": {
			path: {
				dataset_identifier: string;
				label_id: string;
			};
			response: {
				data: DatasetLabel;
			};
		};
		/** Store and delete secrets, all or none; null deletes; of several values for a key, the last counts */
		"/v1/secrets": {
			body: UpdateSecretsBodyInput;
			response: {
				data: {
					upserted_keys: Array<string>;
					deleted_keys: Array<string>;
				};
			};
		};
	};
	patch: {
		/** Change a program, or disable it */
		"/v1/oauth2_clients/{client_id}": {
			path: {
				client_id: string;
			};
			body: {
				name?: string;
				redirect_uris?: Array<string>;
				device_flow?: boolean;
				/** It gets no codes and tokens then, and its tokens are refused. */
				disabled?: boolean;
			};
			response: {
				data: OAuth2Client;
			};
		};
		/** Set the retention policy of a project */
		"/v1/projects/{project_identifier}/retention": {
			path: {
				project_identifier: string;
			};
			body: {
				/** Null, or the id of the default policy, for the default policy. */
				policy_id: string | null;
			};
			response: {
				data: {
					project_id: string;
					/** Null: the default policy. */
					policy_id: string | null;
				};
			};
		};
		/** Change an annotation or note; users who are not admins change only their own */
		"/v1/annotations/{annotation_id}": {
			path: {
				annotation_id: string;
			};
			body: UpdateAnnotationInput;
			response: OneAnnotation;
		};
		/** Change a dataset's name, description or metadata, or move it to another project */
		"/v1/datasets/{id}": {
			path: {
				id: string;
			};
			body: {
				name?: string;
				description?: string | null;
				metadata?: { [key: string]: unknown };
				/** Id or name of the project where it is to live; null or `library` for the library. */
				project?: string | null;
				/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
				allow_wider_access?: boolean;
			};
			response: {
				data: Dataset;
			};
		};
		/** Change an example's content or splits, which creates a new version */
		"/v1/datasets/{id}/examples/{example_id}": {
			path: {
				id: string;
				example_id: string;
			};
			body: {
				input?: { [key: string]: unknown };
				output?: { [key: string]: unknown };
				metadata?: { [key: string]: unknown };
				/** Names of all splits it is to be in; new ones are made. */
				splits?: Array<string>;
			};
			response: {
				data: DatasetExampleInSplits;
				version_id: string;
			};
		};
		/** Change a split, or which examples are in it, which creates a new version */
		"/v1/datasets/{dataset_identifier}/splits/{split_id}": {
			path: {
				dataset_identifier: string;
				split_id: string;
			};
			body: {
				name?: string | null;
				description?: string | null;
				color?: string | null;
				metadata?: { [key: string]: unknown } | null;
				add_example_ids?: Array<string> | null;
				/** Wins over `add_example_ids`. */
				remove_example_ids?: Array<string> | null;
			};
			response: {
				data: DatasetSplit;
			};
		};
		/** Change a label */
		"/v1/dataset_labels/{label_id}": {
			path: {
				label_id: string;
			};
			body: {
				name?: string | null;
				description?: string | null;
				color?: string | null;
			};
			response: {
				data: DatasetLabel;
			};
		};
		/** Edit experiment name, description or metadata */
		"/v1/experiments/{experiment_id}": {
			path: {
				experiment_id: string;
			};
			body: {
				name?: string;
				description?: string | null;
				metadata?: { [key: string]: unknown };
			};
			response: {
				data: Experiment;
			};
		};
		/** Edit prompt description or metadata, or move it to another project */
		"/v1/prompts/{prompt_identifier}": {
			path: {
				prompt_identifier: string;
			};
			body: {
				description?: string | null;
				metadata?: { [key: string]: unknown };
				/** Id or name of the project where it is to live; null or `library` for the library. */
				project?: string | null;
				/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
				allow_wider_access?: boolean;
			};
			response: {
				data: Prompt;
			};
		};
		/** Change a retention policy; it is next due after the change */
		"/v1/retention_policies/{policy_id}": {
			path: {
				policy_id: string;
			};
			body: UpdateRetentionPolicyBodyInput;
			response: {
				data: RetentionPolicy;
			};
		};
		/** Change a custom price */
		"/v1/model_prices/{price_id}": {
			path: {
				price_id: string;
			};
			body: UpdateModelPriceBodyInput;
			response: {
				data: ModelPrice;
			};
		};
		/** Change one's own name or password; a new password ends every other session */
		"/v1/user": {
			body: {
				/** 1 to 128 characters; names that look alike count as one. */
				username?: string;
				password?: string;
				/** Needed with `password`. */
				current_password?: string;
			};
			response: {
				data: User;
			};
		};
		/** Change a user's name or role, or give them a new password */
		"/v1/users/{user_id}": {
			path: {
				user_id: string;
			};
			body: {
				/** 1 to 128 characters; names that look alike count as one. */
				username?: string;
				role?: "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
				/** The user has to replace it at the next log-in. */
				password?: string;
			};
			response: {
				data: User;
			};
		};
		/** Change a team's name, description and groups */
		"/v1/teams/{team_id}": {
			path: {
				team_id: string;
			};
			body: {
				/** Unique in any case. */
				name?: string;
				description?: string | null;
				/** Groups at providers and in the directory that are the team's. They are kept; this version makes nobody a member by them. */
				external_groups?: Array<ExternalGroupInput>;
			};
			response: {
				data: Team;
			};
		};
		/** Add and remove members by hand, all or nothing */
		"/v1/teams/{team_id}/members": {
			path: {
				team_id: string;
			};
			body: {
				add?: Array<string>;
				remove?: Array<string>;
			};
			response: {
				data: Team;
			};
		};
		/** Change what new projects begin with, and what members may do where nothing else says so */
		"/v1/access_policy": {
			body: {
				default_project_access?: "open" | "restricted";
				open_role_of_members?: "viewer" | "annotator" | "editor";
				members_create_projects?: boolean;
				max_key_days?: number | null;
			};
			response: {
				data: AccessPolicy;
			};
		};
		/** Change a rule; who loses a role by it loses it at once */
		"/v1/access_rules/{rule_id}": {
			path: {
				rule_id: string;
			};
			body: {
				/** `*` stands for any characters, everything else for itself: `pay-*`. */
				pattern?: string;
				/** What a new project begins with that fits; of several rules one that says restricted wins. */
				access_of_new?: "open" | "restricted" | null;
				/** All that the rule has then. */
				grants?: Array<{
					subject: SubjectBodyInput;
					role: "viewer" | "annotator" | "editor" | "manager";
				}>;
				description?: string | null;
			};
			response: {
				data: AccessRule;
			};
		};
		/** Open or restrict a project, and give and take roles there, all or nothing */
		"/v1/projects/{project_identifier}/access": {
			path: {
				project_identifier: string;
			};
			body: AccessChangeInput;
			response: {
				data: ChangedHomeAccess;
			};
		};
		/** Open or restrict datasets and prompts of no project, and give and take roles, all or nothing */
		"/v1/library/access": {
			body: AccessChangeInput;
			response: {
				data: ChangedHomeAccess;
			};
		};
		/** Change one's own API key */
		"/v1/user/api_keys/{api_key_id}": {
			path: {
				api_key_id: string;
			};
			body: {
				name?: string;
				description?: string | null;
				/** Only earlier. */
				expires_at?: string | null;
				/** What the key may do, as far as its owner may; `write` includes `annotate` and `ingest`. Null: all. */
				permissions?: Array<"read" | "ingest" | "annotate" | "write"> | null;
				/** Ids or names of the only projects that the key reaches. Null: all. */
				projects?: Array<string> | null;
				/** Whether a key with `projects` also reaches the datasets and prompts of no project. */
				include_library?: boolean | null;
				/** Addresses and ranges (CIDR) that the key may be used from. Null: everywhere. */
				ip_ranges?: Array<string> | null;
				/** Origins of web pages that may send with the key; only where `permissions` is `["ingest"]`. */
				allowed_origins?: Array<string> | null;
				limits?: {
					/** At each server. */
					requests_per_minute?: number | null;
					/** Of a day in UTC, at all servers together. */
					spans_per_day?: number | null;
				} | null;
			};
			response: {
				data: UserApiKey;
			};
		};
		/** Change an API key of the system */
		"/v1/system/api_keys/{api_key_id}": {
			path: {
				api_key_id: string;
			};
			body: {
				name?: string;
				description?: string | null;
				/** Only earlier. */
				expires_at?: string | null;
				/** What the key may do, as far as its owner may; `write` includes `annotate` and `ingest`. Null: all. */
				permissions?: Array<"read" | "ingest" | "annotate" | "write"> | null;
				/** Ids or names of the only projects that the key reaches. Null: all. */
				projects?: Array<string> | null;
				/** Whether a key with `projects` also reaches the datasets and prompts of no project. */
				include_library?: boolean | null;
				/** Addresses and ranges (CIDR) that the key may be used from. Null: everywhere. */
				ip_ranges?: Array<string> | null;
				/** Origins of web pages that may send with the key; only where `permissions` is `["ingest"]`. */
				allowed_origins?: Array<string> | null;
				limits?: {
					/** At each server. */
					requests_per_minute?: number | null;
					/** Of a day in UTC, at all servers together. */
					spans_per_day?: number | null;
				} | null;
			};
			response: {
				data: SystemApiKey;
			};
		};
	};
	delete: {
		/** End what one let a program do; its tokens end at once */
		"/v1/user/oauth2_grants/{grant_id}": {
			path: {
				grant_id: string;
			};
			response: undefined;
		};
		/** End what a user let a program do; its tokens end at once */
		"/v1/oauth2_grants/{grant_id}": {
			path: {
				grant_id: string;
			};
			response: undefined;
		};
		/** Delete a program; what users let it do ends at once */
		"/v1/oauth2_clients/{client_id}": {
			path: {
				client_id: string;
			};
			response: undefined;
		};
		/** End one of one's own sessions */
		"/v1/user/sessions/{session_id}": {
			path: {
				session_id: string;
			};
			response: undefined;
		};
		/** Delete a project and all its data */
		"/v1/projects/{project_identifier}": {
			path: {
				project_identifier: string;
			};
			response: undefined;
		};
		/** Delete the traces that start in a time window */
		"/v1/projects/{project_identifier}/traces": {
			path: {
				project_identifier: string;
			};
			query: {
				start_time: string;
				end_time: string;
			};
			response: undefined;
		};
		/** Delete one trace with its spans */
		"/v1/traces/{trace_identifier}": {
			path: {
				trace_identifier: string;
			};
			query?: {
				project?: string;
			};
			response: undefined;
		};
		/** Delete one span, keeping its children */
		"/v1/spans/{span_identifier}": {
			path: {
				span_identifier: string;
			};
			query?: {
				project?: string;
			};
			response: undefined;
		};
		/** Delete a session with its traces */
		"/v1/sessions/{session_identifier}": {
			path: {
				session_identifier: string;
			};
			query?: {
				project?: string;
			};
			response: undefined;
		};
		/** Cancel a bulk run of one's own, or any as an admin; what it has done stays */
		"/v1/bulk_runs/{run_id}": {
			path: {
				run_id: string;
			};
			response: undefined;
		};
		/** Delete annotations of spans; users who are not admins delete only their own */
		"/v1/projects/{project_identifier}/span_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				name?: string;
				identifier?: string;
				annotator_kind?: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
				/** Inclusive, on `created_at`. */
				start_time?: string;
				/** Exclusive, on `created_at`. */
				end_time?: string;
				/** Required unless both times are given. */
				delete_all?: boolean;
			};
			response: undefined;
		};
		/** Delete annotations of traces; users who are not admins delete only their own */
		"/v1/projects/{project_identifier}/trace_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				name?: string;
				identifier?: string;
				annotator_kind?: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
				/** Inclusive, on `created_at`. */
				start_time?: string;
				/** Exclusive, on `created_at`. */
				end_time?: string;
				/** Required unless both times are given. */
				delete_all?: boolean;
			};
			response: undefined;
		};
		/** Delete annotations of sessions; users who are not admins delete only their own */
		"/v1/projects/{project_identifier}/session_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				name?: string;
				identifier?: string;
				annotator_kind?: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
				/** Inclusive, on `created_at`. */
				start_time?: string;
				/** Exclusive, on `created_at`. */
				end_time?: string;
				/** Required unless both times are given. */
				delete_all?: boolean;
			};
			response: undefined;
		};
		/** Delete annotations of documents; users who are not admins delete only their own */
		"/v1/projects/{project_identifier}/document_annotations": {
			path: {
				project_identifier: string;
			};
			query?: {
				name?: string;
				identifier?: string;
				annotator_kind?: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
				/** Inclusive, on `created_at`. */
				start_time?: string;
				/** Exclusive, on `created_at`. */
				end_time?: string;
				/** Required unless both times are given. */
				delete_all?: boolean;
			};
			response: undefined;
		};
		/** Delete an annotation or note; users who are not admins delete only their own */
		"/v1/annotations/{annotation_id}": {
			path: {
				annotation_id: string;
			};
			response: undefined;
		};
		/** Delete a waiting annotation; users who are not admins delete only their own */
		"/v1/waiting_annotations/{waiting_annotation_id}": {
			path: {
				waiting_annotation_id: string;
			};
			response: undefined;
		};
		/** Remove one config from a project; repeating it changes nothing */
		"/v1/projects/{project_identifier}/annotation_configs/{config_identifier}": {
			path: {
				project_identifier: string;
				config_identifier: string;
			};
			response: undefined;
		};
		/** Delete an annotation config and return it; annotations stay */
		"/v1/annotation_configs/{config_id}": {
			path: {
				config_id: string;
			};
			response: {
				data: CategoricalAnnotationConfig | ContinuousAnnotationConfig | FreeformAnnotationConfig;
			};
		};
		/** Delete a dataset with its experiments and their traces */
		"/v1/datasets/{id}": {
			path: {
				id: string;
			};
			response: undefined;
		};
		/** Delete an example, which creates a new version; older versions keep it */
		"/v1/datasets/{id}/examples/{example_id}": {
			path: {
				id: string;
				example_id: string;
			};
			response: undefined;
		};
		/** Delete a split; older versions keep it */
		"/v1/datasets/{dataset_identifier}/splits/{split_id}": {
			path: {
				dataset_identifier: string;
				split_id: string;
			};
			response: undefined;
		};
		/** Delete a label everywhere */
		"/v1/dataset_labels/{label_id}": {
			path: {
				label_id: string;
			};
			response: undefined;
		};
		/** Remove a label from a dataset */
		"/v1/datasets/{dataset_identifier}/labels/{label_id}": {
			path: {
				dataset_identifier: string;
				label_id: string;
			};
			response: undefined;
		};
		/** Delete an experiment, optionally its trace project */
		"/v1/experiments/{experiment_id}": {
			path: {
				experiment_id: string;
			};
			query?: {
				delete_project?: boolean;
			};
			response: undefined;
		};
		/** Remove a tag from an experiment; a tag on another one is not affected */
		"/v1/experiments/{experiment_id}/tags/{tag_identifier}": {
			path: {
				experiment_id: string;
				tag_identifier: string;
			};
			response: undefined;
		};
		/** Delete a prompt with versions and tags */
		"/v1/prompts/{prompt_identifier}": {
			path: {
				prompt_identifier: string;
			};
			response: undefined;
		};
		/** Remove a tag from a prompt version; a tag on another one is not affected */
		"/v1/prompt_versions/{prompt_version_id}/tags/{tag_name}": {
			path: {
				prompt_version_id: string;
				tag_name: string;
			};
			response: undefined;
		};
		/** Delete a retention policy; its projects get the default one */
		"/v1/retention_policies/{policy_id}": {
			path: {
				policy_id: string;
			};
			response: undefined;
		};
		/** Delete a custom price */
		"/v1/model_prices/{price_id}": {
			path: {
				price_id: string;
			};
			response: undefined;
		};
		/** Cancel a recomputation of costs; changes made so far stay */
		"/v1/cost_recomputations/{recomputation_id}": {
			path: {
				recomputation_id: string;
			};
			response: undefined;
		};
		/** Cancel a repair; what it has repaired stays so */
		"/v1/storage/repairs/{repair_id}": {
			path: {
				repair_id: string;
			};
			response: undefined;
		};
		/** Delete a user with their sessions and keys; what they made stays */
		"/v1/users/{user_id}": {
			path: {
				user_id: string;
			};
			response: undefined;
		};
		/** Free a user's account from the identity of a provider or directory that it is bound to */
		"/v1/users/{user_id}/binding": {
			path: {
				user_id: string;
			};
			response: {
				data: User;
			};
		};
		/** Delete a team with its grants; answers where people lost their role */
		"/v1/teams/{team_id}": {
			path: {
				team_id: string;
			};
			response: {
				data: DeletedTeam;
			};
		};
		/** Delete a rule; what it gives ends at once */
		"/v1/access_rules/{rule_id}": {
			path: {
				rule_id: string;
			};
			response: undefined;
		};
		/** Delete one's own API key, or, as an admin, any user's */
		"/v1/user/api_keys/{api_key_id}": {
			path: {
				api_key_id: string;
			};
			response: undefined;
		};
		/** Delete an API key of the system */
		"/v1/system/api_keys/{api_key_id}": {
			path: {
				api_key_id: string;
			};
			response: undefined;
		};
	};
}
