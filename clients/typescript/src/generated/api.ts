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

export type AddReviewItemsBodyInput = {
	/** As they were sent, or global ids; those of one kind. */
	targets?: Array<ReviewTargetInput>;
	/** Instead of `targets`: all runs that an experiment has now, for a queue of runs. */
	experiment_id?: string;
	/** Instead of `targets`: all of `project` that match a filter, or the filters of a list. */
	filter?: string | {
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
	/** With `filter`: name or id of the project. */
	project?: string;
	/** On the start of the span, trace or session: from `start_time` to before `end_time`. */
	time_range?: {
		start_time?: string;
		end_time?: string;
	};
	/** With `filter`: no more than so many. */
	limit?: number;
	/** The highest first, with the order `priority`. */
	priority?: number;
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

export type Analytics = {
	of: "spans" | "traces" | "sessions" | "annotations" | "errors" | "spend" | "ingest";
	start_time: string;
	end_time: string;
	time_zone: string;
	bucket: "none" | "minute" | "5_minutes" | "15_minutes" | "hour" | "6_hours" | "day" | "week" | "month";
	buckets: Array<{
		start_time: string;
		end_time: string;
	}>;
	series: Array<{
		totals: { [key: string]: number | null };
		/** By bucket; null where a bucket was not read as a whole. */
		values: { [key: string]: Array<number | null> };
		previous?: {
			totals: { [key: string]: number | null };
			/** By bucket; null where a bucket was not read as a whole. */
			values: { [key: string]: Array<number | null> };
		};
		group: Array<{
			field: string;
			value: string | number | boolean | null;
			label: string;
		}>;
		drill_down: AnalyticsDrillDown | null;
	}>;
	others: {
		totals: { [key: string]: number | null };
		/** By bucket; null where a bucket was not read as a whole. */
		values: { [key: string]: Array<number | null> };
		previous?: {
			totals: { [key: string]: number | null };
			/** By bucket; null where a bucket was not read as a whole. */
			values: { [key: string]: Array<number | null> };
		};
		groups: number;
		drill_down: null;
	} | null;
	all: {
		totals: { [key: string]: number | null };
		/** By bucket; null where a bucket was not read as a whole. */
		values: { [key: string]: Array<number | null> };
		previous?: {
			totals: { [key: string]: number | null };
			/** By bucket; null where a bucket was not read as a whole. */
			values: { [key: string]: Array<number | null> };
		};
		drill_down: AnalyticsDrillDown | null;
	};
	groups_total: number;
	/** A row may be in several groups; `all` counts it once. */
	overlapping: boolean;
	/** Time was up before all was read, or some errors of this time are still to be grouped, or what was spent then to be counted. */
	is_partial: boolean;
	/** From then on everything was read; null also where only errors are still to be grouped. */
	covered_start_time: string | null;
	/** Measures within 5 %, and `too_many_distinct` where different values were too many to count. */
	approximate: Array<string>;
	source: "totals" | "rows";
	/** Present when it was asked for; `count` is of the rows that have the number. */
	distribution?: AnalyticsDistribution;
	took_ms: number;
};

export type AnalyticsDistribution = {
	of: string;
	scale: "log" | "linear";
	/** Ascending, each with its start and without its end, the last one with both. */
	bins: Array<{
		start: number;
		end: number;
	}>;
	/** By bin. */
	totals: Array<number>;
	/** For each bucket the numbers by bin; null where it was not read as a whole. */
	values: Array<Array<number> | null>;
};

/** The list with this filter holds exactly the rows that were counted; for annotations, what they are about, for errors, their spans. */
export type AnalyticsDrillDown = {
	of: "spans" | "traces" | "sessions";
	/** Global id. */
	project: string;
	filter: string;
	/** Words, for the parameter `q` of the list. */
	q?: string;
	/** The same rows, those with an error. */
	error_filter: string;
};

export type AnalyticsSchema = {
	rows: Array<{
		of: "spans" | "traces" | "sessions" | "annotations" | "errors" | "spend" | "ingest";
		measures: Array<{
			name: string;
			unit: string;
			is_approximate: boolean;
			description: string;
		}>;
		/** What functions such as `avg(…)` take, beside attributes. */
		number_fields: Array<string>;
		groups: Array<{
			name: string;
			description: string;
		}>;
	}>;
	functions: Array<string>;
	buckets: Array<string>;
	ranges: Array<string>;
	comparisons: Array<string>;
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

export type AttributeKey = {
	key: string;
	in: "attributes" | "metadata" | "resource" | "annotations";
	types: Array<"string" | "number" | "boolean" | "list">;
	/** Of the rows that were looked at, 0 to 1. */
	share: number;
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

export type BuiltInEvaluator = {
	key: string;
	title: string;
	description: string;
	inputs: Array<{
		name: string;
		required: boolean;
		description: string;
	}>;
	output: CategoricalEvaluatorOutput | ScoreEvaluatorOutput;
	/** JSON Schema. */
	parameters: { [key: string]: unknown };
};

export type BuiltInEvaluatorVersionInput = {
	kind: "BUILT_IN";
	builtin: {
		key: string;
		parameters?: { [key: string]: unknown };
	};
	/** Always those of the built-in evaluator. */
	inputs?: Array<InputOfEvaluatorInput>;
	/** One output: with two labels, first the one for what passed; or a score. The evaluator's own when absent. */
	outputs?: Array<CategoricalEvaluatorOutputInput | ScoreEvaluatorOutputInput>;
	/** The evaluator's own when absent. */
	mapping?: EvaluatorMappingByTargetInput;
};

export type BuiltInModelProvider = {
	provider: "OPENAI" | "AZURE_OPENAI" | "ANTHROPIC" | "GOOGLE" | "DEEPSEEK" | "XAI" | "OLLAMA" | "AWS" | "CEREBRAS" | "FIREWORKS" | "GROQ" | "MOONSHOT" | "MINIMAX" | "PERPLEXITY" | "TOGETHER" | "ZAI" | "META";
	name: string;
};

export type BulkRun = {
	id: string;
	project_id: string;
	action: "delete" | "move" | "annotate" | "add_to_dataset" | "add_to_review_queue";
	/** Which list the selection is from. */
	kind: "span" | "trace" | "session";
	/** False for ids. */
	by_filter: boolean;
	destination_project_id: string | null;
	dataset_id: string | null;
	review_queue_id: string | null;
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

export type CategoricalEvaluatorOutput = {
	/** Of the annotation or metric that it becomes. */
	name: string;
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE";
	/** Whether a judge explains its verdict, and if it does so before it gives it, or after. */
	explanation: "none" | "before" | "after";
	type: "categorical";
	labels: Array<{
		label: string;
		/** Null for an abstention, which counts in no mean. */
		score: number | null;
		/** When it is right to give it; judges read it. */
		description?: string;
	}>;
};

export type CategoricalEvaluatorOutputInput = {
	/** Of the annotation or metric that it becomes. */
	name: string;
	optimization_direction?: "MINIMIZE" | "MAXIMIZE" | "NONE";
	/** Whether a judge explains its verdict, and if it does so before it gives it, or after. */
	explanation?: "none" | "before" | "after";
	type: "categorical";
	labels: Array<{
		label: string;
		/** Null for an abstention, which counts in no mean. */
		score?: number | null;
		/** When it is right to give it; judges read it. */
		description?: string;
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

export type ChatCompletion = {
	id: string;
	object: "chat.completion";
	/** Seconds since 1970. */
	created: number;
	/** The model that answered, as the provider names it. */
	model: string;
	choices: Array<{
		index: number;
		message: {
			role: "assistant";
			content: string | null;
			reasoning_content?: string;
			refusal: null;
			tool_calls?: Array<{
				id: string;
				type: "function";
				function: {
					name: string;
					arguments: string;
				};
			}>;
		};
		logprobs: null;
		finish_reason: "stop" | "length" | "tool_calls" | "content_filter";
	}>;
	/** Absent when the provider counted none. */
	usage?: ChatCompletionUsage;
	/** What the provider could not be told. */
	warnings?: Array<string>;
};

export type ChatCompletionBodyInput = {
	/** `<connection>:<model>`, `<provider>:<model>`, or `custom:<id of the connection>:<model>`. */
	model: string;
	messages: Array<ChatMessageInput>;
	stream?: boolean | null;
	stream_options?: {
		include_usage?: boolean | null;
	} | null;
	temperature?: number | null;
	top_p?: number | null;
	max_tokens?: number | null;
	max_completion_tokens?: number | null;
	stop?: string | Array<string> | null;
	frequency_penalty?: number | null;
	presence_penalty?: number | null;
	seed?: number | null;
	/** 1 */
	n?: number | null;
	reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | null;
	tools?: Array<{
		type: "function";
		function: {
			name: string;
			description?: string | null;
			/** JSON Schema */
			parameters?: { [key: string]: unknown } | null;
			strict?: boolean | null;
		};
	}> | null;
	tool_choice?: "none" | "auto" | "required" | {
		type: "function";
		function: {
			name: string;
		};
	} | null;
	parallel_tool_calls?: boolean | null;
	response_format?: {
		type: "text";
	} | {
		type: "json_schema";
		json_schema: {
			name: string;
			description?: string | null;
			schema?: { [key: string]: unknown } | null;
			strict?: boolean | null;
		};
	} | null;
	/** Not sent to the provider. */
	user?: string | null;
};

/** An error as OpenAI's clients read it. */
export type ChatCompletionError = {
	error: {
		message: string;
		type: "invalid_request_error" | "api_error";
		param: null;
		code: string | null;
	};
};

export type ChatCompletionUsage = {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens: number;
	prompt_tokens_details: {
		cached_tokens: number;
	};
	completion_tokens_details: {
		reasoning_tokens: number;
	};
};

export type ChatMessageInput = {
	role: "system" | "developer";
	content: string | Array<{
		type: "text";
		text: string;
	}>;
	name?: string;
} | {
	role: "user";
	content: string | Array<{
		type: "text";
		text: string;
	} | {
		type: "image_url";
		image_url: {
			/** A data URL of a PNG, JPEG, WebP or GIF; addresses are not fetched. */
			url: string;
			detail?: "auto" | "low" | "high";
		};
	}>;
	name?: string;
} | {
	role: "assistant";
	content?: string | Array<{
		type: "text";
		text: string;
	}> | null;
	tool_calls?: Array<{
		id: string;
		type: "function";
		function: {
			name: string;
			/** JSON */
			arguments: string;
		};
	}> | null;
	name?: string;
} | {
	role: "tool";
	tool_call_id: string;
	content: string | Array<{
		type: "text";
		text: string;
	}>;
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

export type CodeEvaluatorVersionInput = {
	kind: "CODE";
	inputs: Array<InputOfEvaluatorInput>;
	outputs: Array<CategoricalEvaluatorOutputInput | ScoreEvaluatorOutputInput>;
	mapping?: EvaluatorMappingByTargetInput;
	/** Of TypeScript, types are left out before it runs. */
	language: "javascript" | "typescript";
	/** Has a function `evaluate`, which gets an object with the inputs. */
	source: string;
	timeout_ms?: number;
	memory_mib?: number;
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

export type CreateDashboardBodyInput = {
	name: string;
	description?: string | null;
	/** Private ones are there for their owner only. */
	visibility?: "shared" | "private";
	/** As in `GET /v1/analytics`. */
	range?: string;
	/** IANA name, or `browser`. */
	time_zone?: string | null;
	refresh_seconds?: 30 | 60 | 300 | 900 | null;
	/** Narrows every widget. */
	filter?: string | null;
	/** Fields to group by, each a menu of values that narrows every widget. */
	controls?: Array<string>;
	widgets?: Array<DashboardWidgetInput>;
	/** Global id or name; null or absent for one across projects. */
	project_id?: string | null;
};

export type CreateEvaluatorBodyInput = {
	/** Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit. */
	name: string;
	description?: string | null;
	version: LlmEvaluatorVersionInput | CodeEvaluatorVersionInput | BuiltInEvaluatorVersionInput;
	/** Key of the template that the version was made from. */
	template?: string | null;
};

export type CreateEvaluatorVersionBodyInput = {
	version: LlmEvaluatorVersionInput | CodeEvaluatorVersionInput | BuiltInEvaluatorVersionInput;
	template?: string | null;
};

export type CreateModelConnectionBodyInput = {
	name: string;
	kind: "openai" | "openai_compatible" | "azure_openai" | "anthropic" | "google" | "google_vertex" | "aws_bedrock";
	base_url?: string | null;
	/** Of the kinds that have both. */
	api?: "responses" | "chat_completions" | null;
	settings?: {
		region?: string | null;
		project?: string | null;
		location?: string | null;
		api_version?: string | null;
		organization?: string | null;
	} | null;
	/** Names that may be used; null: all. */
	models?: Array<string> | null;
	default_model?: string | null;
	enabled?: boolean;
	use_by?: "members" | "admins";
	/** Who may switch on a rule that sends live traffic; `admins` when absent. */
	rules_by?: "members" | "admins";
	/** Calls at once, over all servers; 8 when absent. */
	max_concurrency?: number;
	requests_per_minute?: number | null;
	tokens_per_minute?: number | null;
	/** Dollars a month (UTC), over all servers. */
	monthly_budget_usd?: number | null;
	/** Until the first byte of an answer; 120 when absent. */
	timeout_seconds?: number;
	/** Each as `value`, which is stored encrypted, or as `secret`, the name of a stored secret. */
	credentials?: {
		api_key?: {
			value?: string;
			secret?: string;
		} | null;
		tenant_id?: {
			value?: string;
			secret?: string;
		} | null;
		client_id?: {
			value?: string;
			secret?: string;
		} | null;
		client_secret?: {
			value?: string;
			secret?: string;
		} | null;
		service_account?: {
			value?: string;
			secret?: string;
		} | null;
		access_key_id?: {
			value?: string;
			secret?: string;
		} | null;
		secret_access_key?: {
			value?: string;
			secret?: string;
		} | null;
		session_token?: {
			value?: string;
			secret?: string;
		} | null;
	} | null;
	/** Sent with each request; values are stored encrypted. */
	headers?: { [key: string]: string } | null;
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

export type CreateReviewQueueBodyInput = {
	name: string;
	description?: string | null;
	/** Markdown, for reviewers. */
	guidance?: string | null;
	target: "span" | "trace" | "session" | "experiment_run";
	questions: Array<ReviewQuestionBodyInput>;
	/** Independent answers that each item needs. */
	reviews_required?: number;
	/** Ids of users; null for everybody who may annotate. */
	reviewers?: Array<string> | null;
	/** Ids of users. Admins always are. */
	adjudicators?: Array<string>;
	/** Whether nobody gets the answers of others before an item is done; as when more than one is required. */
	blind?: boolean;
	/** Of a blind queue: who is given an item does not get annotations by anything but people with it. The annotations themselves can still be read where they are. */
	hide_model_annotations?: boolean;
	/** Oldest and newest by when items were added; of equal priority the oldest first. */
	order?: "oldest" | "newest" | "random" | "priority";
	/** Of the order `random`; chosen when absent. */
	seed?: number;
	/** How long an item is kept for who took it. */
	lease_minutes?: number;
	due_at?: string | null;
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

export type CustomModelProvider = {
	id: string;
	name: string;
	description: string | null;
	provider: string;
	sdk: "openai" | "azure_openai" | "anthropic" | "aws_bedrock" | "google_genai";
	created_at: string;
	updated_at: string;
};

export type CustomModelProviderPage = {
	data: Array<CustomModelProvider>;
	next_cursor: string | null;
};

export type Dashboard = {
	/** Global id, or `builtin:` and a name. */
	id: string;
	name: string;
	description: string | null;
	/** Null for one across projects. */
	project_id: string | null;
	visibility: "shared" | "private";
	/** Null for built-in ones, and where there is no owner any more. */
	owner_id: string | null;
	created_at: string | null;
	updated_at: string | null;
	updated_by: {
		id: string;
		username: string;
	} | null;
	is_built_in: boolean;
	range: string;
	time_zone: string | null;
	refresh_seconds: 30 | 60 | 300 | 900 | null;
	filter: string | null;
	controls: Array<string>;
	widgets: Array<StoredDashboardWidget>;
};

/** A dashboard without ids and owners, for another installation. */
export type DashboardFile = {
	spanward_dashboard: 1;
	name: string;
	description?: string | null;
	/** Private ones are there for their owner only. */
	visibility: "shared" | "private";
	/** As in `GET /v1/analytics`. */
	range: string;
	/** IANA name, or `browser`. */
	time_zone?: string | null;
	refresh_seconds?: 30 | 60 | 300 | 900 | null;
	/** Narrows every widget. */
	filter?: string | null;
	/** Fields to group by, each a menu of values that narrows every widget. */
	controls: Array<string>;
	widgets: Array<DashboardWidget>;
};

/** A dashboard without ids and owners, for another installation. */
export type DashboardFileInput = {
	spanward_dashboard: 1;
	name: string;
	description?: string | null;
	/** Private ones are there for their owner only. */
	visibility?: "shared" | "private";
	/** As in `GET /v1/analytics`. */
	range?: string;
	/** IANA name, or `browser`. */
	time_zone?: string | null;
	refresh_seconds?: 30 | 60 | 300 | 900 | null;
	/** Narrows every widget. */
	filter?: string | null;
	/** Fields to group by, each a menu of values that narrows every widget. */
	controls?: Array<string>;
	widgets?: Array<DashboardWidgetInput>;
};

export type DashboardPage = {
	data: Array<DashboardSummary>;
	next_cursor: string | null;
};

export type DashboardSummary = {
	/** Global id, or `builtin:` and a name. */
	id: string;
	name: string;
	description: string | null;
	/** Null for one across projects. */
	project_id: string | null;
	visibility: "shared" | "private";
	/** Null for built-in ones, and where there is no owner any more. */
	owner_id: string | null;
	created_at: string | null;
	updated_at: string | null;
	updated_by: {
		id: string;
		username: string;
	} | null;
	is_built_in: boolean;
	widget_count: number;
};

export type DashboardWidget = {
	/** Unique in the dashboard. */
	key: string;
	kind: "time_series" | "bar" | "table" | "number" | "histogram" | "heatmap" | "text";
	title: string;
	/** The parameters of `GET /v1/analytics` as JSON, with `projects` in place of `project`. The range and time zone of the dashboard are used where it names none. */
	query?: { [key: string]: unknown } | null;
	/** Markdown, of a text. */
	text?: string | null;
	/** How the answer is drawn; what is absent fits the measure. */
	display: {
		/** Of a time series. */
		style?: "line" | "area" | "bars";
		stacked?: boolean;
		/** Written behind numbers, in place of the unit of the measure. */
		unit?: string;
		decimals?: number;
		log_scale?: boolean;
		/** Of counts and sums over time. */
		per?: "bucket" | "minute" | "hour" | "day";
		thresholds?: Array<{
			value: number;
			color: "warning" | "danger";
		}>;
		legend?: boolean;
	};
	layout: {
		x: number;
		y: number;
		w: number;
		h: number;
	};
};

export type DashboardWidgetInput = {
	/** Unique in the dashboard. */
	key: string;
	kind: "time_series" | "bar" | "table" | "number" | "histogram" | "heatmap" | "text";
	title: string;
	/** The parameters of `GET /v1/analytics` as JSON, with `projects` in place of `project`. The range and time zone of the dashboard are used where it names none. */
	query?: { [key: string]: unknown } | null;
	/** Markdown, of a text. */
	text?: string | null;
	/** How the answer is drawn; what is absent fits the measure. */
	display?: {
		/** Of a time series. */
		style?: "line" | "area" | "bars";
		stacked?: boolean;
		/** Written behind numbers, in place of the unit of the measure. */
		unit?: string;
		decimals?: number;
		log_scale?: boolean;
		/** Of counts and sums over time. */
		per?: "bucket" | "minute" | "hour" | "day";
		thresholds?: Array<{
			value: number;
			color: "warning" | "danger";
		}>;
		legend?: boolean;
	};
	layout: {
		x: number;
		y: number;
		w: number;
		h: number;
	};
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

export type DatasetEvaluator = {
	evaluator: Evaluator;
	/** Null for the newest one, whichever that is. */
	version_id: string | null;
	mapping: EvaluatorMapping | null;
	/** Whether it evaluates the runs of experiments that clients run, as they arrive, and those of each job that names none. */
	run_automatically: boolean;
	updated_at: string;
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

/** By page the id of the view that the list opens with; null for none. */
export type DefaultViews = {
	traces: string | null;
	spans: string | null;
	sessions: string | null;
	users: string | null;
	errors: string | null;
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

export type EndUser = {
	user_id: string;
	/** Start of the first trace of all that are stored. */
	first_seen: string;
	/** Start of the last trace in the range. */
	last_seen: string | null;
	session_count: number;
	trace_count: number;
	/** Traces with an error anywhere. */
	error_count: number;
	/** Traces whose root span failed. */
	failed_count: number;
	tokens_prompt: number;
	tokens_completion: number;
	tokens_total: number;
	/** US dollars. */
	cost_total: number;
	/** Milliseconds, within 5 %; null while all traces run. */
	latency_p95: number | null;
	/** Of annotations on the traces in the range and on their spans: the five most frequent names. */
	scores: Array<{
		name: string;
		average: number;
		count: number;
	}>;
	/** Open groups of errors with failures of this user in the range. */
	error_groups_open: number;
};

export type ErrorActivity = {
	id: string;
	time: string;
	/** `regressed` and `unignored` happen by themselves. */
	action: "resolved" | "ignored" | "reopened" | "regressed" | "unignored" | "assigned" | "unassigned" | "merged" | "unmerged";
	actor_kind: string;
	user: {
		id: string;
		username: string;
	} | null;
	details: { [key: string]: unknown };
};

export type ErrorActivityPage = {
	data: Array<ErrorActivity>;
	next_cursor: string | null;
};

export type ErrorComment = {
	id: string;
	error_group_id: string;
	author: {
		id: string;
		username: string;
	} | null;
	is_own: boolean;
	text: string;
	created_at: string;
	updated_at: string;
};

export type ErrorCommentBodyInput = {
	/** Markdown. */
	text: string;
};

export type ErrorCommentPage = {
	data: Array<ErrorComment>;
	next_cursor: string | null;
};

export type ErrorGroup = {
	id: string;
	project_id: string;
	fingerprint: string;
	error_kind: "refusal" | "provider_error" | "tool_failure" | "exception" | "error";
	title: string;
	message: string;
	culprit: {
		span_name: string;
		tool: string | null;
		provider: string | null;
		model: string | null;
		/** An HTTP status, `timeout` or `connection`. */
		status: string | null;
		/** The provider's code of the error, or the reason of a refusal. */
		code: string | null;
	};
	state: "open" | "resolved" | "ignored";
	/** Of an open one: `new` for 7 days. */
	substate: "new" | "ongoing" | "regressed" | null;
	resolved_at: string | null;
	resolved_in_release: string | null;
	/** When an ignored one opens again; null for never. */
	ignore_until: {
		time: string | null;
		/** So many more. */
		occurrences: number | null;
		/** So many more. */
		users: number | null;
	} | null;
	assignee: {
		id: string;
		username: string;
	} | null;
	/** Occurrences that are stored, of those asked for; so are the next three and `releases`. */
	count: number;
	user_count: number;
	session_count: number;
	trace_count: number;
	/** All that there ever were, with deleted ones. */
	total_count: number;
	first_seen: string;
	last_seen: string;
	first_release: string | null;
	last_release: string | null;
	/** At most 20, the one that was seen last first. */
	releases: Array<string>;
	/** Occurrences in 24 equal parts of the time asked about. */
	sparkline?: Array<number>;
	/** Of the last change of state or assignee. */
	updated_at: string;
};

export type ErrorGroupBatchAnswer = {
	data: Array<{
		id: string;
		status: "changed" | "unchanged" | "not_found";
	}>;
};

export type ErrorGroupBatchInput = {
	ids: Array<string>;
	change: ErrorGroupChangeInput;
};

export type ErrorGroupChangeInput = {
	state?: "open" | "resolved" | "ignored";
	/** With `resolved`: only what happens in a release that came later opens it again. */
	resolved_in_release?: string | null;
	/** With `ignored`: when it opens again, at the first that comes true; never when absent. */
	ignore_until?: {
		time?: string | null;
		/** So many more. */
		occurrences?: number | null;
		/** So many more. */
		users?: number | null;
	} | null;
	/** Id of a user, or `me`; null for nobody. */
	assignee_id?: string | null;
};

export type ErrorGroupDetail = {
	id: string;
	project_id: string;
	fingerprint: string;
	error_kind: "refusal" | "provider_error" | "tool_failure" | "exception" | "error";
	title: string;
	message: string;
	culprit: {
		span_name: string;
		tool: string | null;
		provider: string | null;
		model: string | null;
		/** An HTTP status, `timeout` or `connection`. */
		status: string | null;
		/** The provider's code of the error, or the reason of a refusal. */
		code: string | null;
	};
	state: "open" | "resolved" | "ignored";
	/** Of an open one: `new` for 7 days. */
	substate: "new" | "ongoing" | "regressed" | null;
	resolved_at: string | null;
	resolved_in_release: string | null;
	/** When an ignored one opens again; null for never. */
	ignore_until: {
		time: string | null;
		/** So many more. */
		occurrences: number | null;
		/** So many more. */
		users: number | null;
	} | null;
	assignee: {
		id: string;
		username: string;
	} | null;
	/** Occurrences that are stored, of those asked for; so are the next three and `releases`. */
	count: number;
	user_count: number;
	session_count: number;
	trace_count: number;
	/** All that there ever were, with deleted ones. */
	total_count: number;
	first_seen: string;
	last_seen: string;
	first_release: string | null;
	last_release: string | null;
	/** At most 20, the one that was seen last first. */
	releases: Array<string>;
	/** Occurrences in 24 equal parts of the time asked about. */
	sparkline?: Array<number>;
	/** Of the last change of state or assignee. */
	updated_at: string;
	grouping: ErrorGrouping;
	/** More than one after a merge; the group's own first. */
	fingerprints: Array<{
		fingerprint: string;
		title: string;
		total_count: number;
		first_seen: string;
		last_seen: string;
	}>;
	timeline: {
		/** Of equal parts of the time asked about. */
		start_times: Array<string>;
		end_time: string;
		/** At most 5, those with the most occurrences. */
		series: Array<{
			release: string | null;
			counts: Array<number>;
		}>;
		/** Of all other releases. */
		others: Array<number> | null;
	};
	newest: ErrorOccurrence | null;
	oldest: ErrorOccurrence | null;
	/** The newest of each release, of at most 20. */
	by_release: Array<ErrorOccurrence>;
	/** At most 10, with the most occurrences. */
	users: Array<{
		user_id: string;
		count: number;
		last_seen: string;
	}>;
};

export type ErrorGroupPage = {
	data: Array<ErrorGroup>;
	next_cursor: string | null;
	/** Groups that fit everything but `state`. */
	counts: {
		open: number;
		resolved: number;
		ignored: number;
	};
	/** Of the sparklines. */
	start_time: string;
	end_time: string;
	/** Failures before `covered_start_time` are not counted: not grouped yet, or `filter` took too long. */
	is_partial: boolean;
	covered_start_time: string | null;
	/** False while failures are not grouped: `SERVICE_ENABLE_ERROR_GROUPS`. */
	is_enabled: boolean;
	/** There are 10,000 groups: what is new shares one for each kind and type. */
	is_full: boolean;
};

export type ErrorGrouping = {
	rule: "explicit" | "provider" | "refusal" | "stack" | "message";
	/** What the fingerprint is made of. */
	parts: Array<{
		name: string;
		value: string;
	}>;
	normalized_message: string;
	/** At most 50, innermost first. */
	frames: Array<{
		module: string;
		function: string;
		is_own: boolean;
	}>;
};

export type ErrorOccurrence = {
	span_id: string;
	trace_id: string;
	/** When the span started. */
	time: string;
	user_id: string | null;
	session_id: string | null;
	release: string | null;
	environment: string | null;
	model: string | null;
	/** At most 2,000 characters. */
	message: string;
	fingerprint: string;
};

export type ErrorOccurrencePage = {
	data: Array<ErrorOccurrence>;
	next_cursor: string | null;
};

export type ErrorSettings = {
	project_id: string;
	/** The attribute of spans or resources with the release; null for the usual ones. */
	release_key: string | null;
	/** Code that is no library: parts of paths, or beginnings of modules, such as `/site-packages/acme/`. */
	own_code: Array<string>;
	/** The kinds that are collected from now on; null for all. */
	kinds: Array<"refusal" | "provider_error" | "tool_failure" | "exception" | "error"> | null;
	updated_at: string | null;
};

export type ErrorSettingsBodyInput = {
	/** The attribute of spans or resources with the release; null for the usual ones. */
	release_key: string | null;
	/** Code that is no library: parts of paths, or beginnings of modules, such as `/site-packages/acme/`. */
	own_code: Array<string>;
	/** The kinds that are collected from now on; null for all. */
	kinds: Array<"refusal" | "provider_error" | "tool_failure" | "exception" | "error"> | null;
};

export type EvaluateBodyInput = {
	/** Id or name; its newest version. */
	evaluator?: string;
	evaluator_version_id?: string;
	/** One that is not stored, to be tried. */
	version?: LlmEvaluatorVersionInput | CodeEvaluatorVersionInput | BuiltInEvaluatorVersionInput;
	/** Where its inputs come from; that of the version for what it does not name. */
	mapping?: EvaluatorMappingInput;
	/** A span, trace or session, by global id or as the application names it; a run of an experiment; or values. */
	target: {
		span_id: string;
		project?: string;
		trace_id?: string;
	} | {
		trace_id: string;
		project?: string;
	} | {
		session_id: string;
		project?: string;
	} | {
		experiment_run_id: string;
	} | {
		/** The inputs themselves, by name. */
		values: { [key: string]: unknown };
	};
	/** Whether the results become annotations of the target, or evaluations of the run. */
	annotate?: boolean;
};

export type EvaluationResult = {
	/** By the name of the output. */
	outputs: { [key: string]: {
		label: string | null;
		/** Null beside a label is an abstention. */
		score: number | null;
		explanation: string | null;
		error: {
			code: string;
			message: string;
		} | null;
	} };
	cost_usd: number | null;
	latency_ms: number;
	/** The evaluator's own trace; null for built-in ones. */
	trace_id: string | null;
	model: string | null;
	warnings: Array<string>;
	/** An input was longer than allowed and was cut in its middle. */
	truncated: boolean;
	/** The messages that the judge was sent. */
	rendered?: Array<unknown>;
};

export type Evaluator = {
	id: string;
	name: string;
	description: string | null;
	/** Of the newest version. */
	kind: "LLM" | "CODE" | "BUILT_IN";
	is_archived: boolean;
	latest_version: {
		id: string;
		number: number;
	};
	/** The names of what the newest version gives. */
	outputs: Array<string>;
	/** Who made it. */
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type EvaluatorMapping = { [key: string]: {
	/** JMESPath into the context of the target. */
	path?: string;
	/** The same for every target. */
	literal?: unknown;
} };

export type EvaluatorMappingByTarget = {
	span?: EvaluatorMapping;
	trace?: EvaluatorMapping;
	session?: EvaluatorMapping;
	run?: EvaluatorMapping;
};

export type EvaluatorMappingByTargetInput = {
	span?: EvaluatorMappingInput;
	trace?: EvaluatorMappingInput;
	session?: EvaluatorMappingInput;
	run?: EvaluatorMappingInput;
};

export type EvaluatorMappingInput = { [key: string]: {
	/** JMESPath into the context of the target. */
	path?: string;
	/** The same for every target. */
	literal?: unknown;
} };

export type EvaluatorPage = {
	data: Array<Evaluator>;
	next_cursor: string | null;
};

export type EvaluatorTemplate = {
	/** Key and version, for `template` of an evaluator that is made from it. */
	id: string;
	key: string;
	title: string;
	description: string;
	known_weaknesses: Array<string>;
	/** What it can judge. */
	targets: Array<"span" | "trace" | "session" | "run">;
	outputs: Array<string>;
	/** A version of kind LLM but for its `variant`, which the connection and `messages` make. */
	version: {
		inputs: Array<{
			name: string;
			required: boolean;
			description: string;
		}>;
		outputs: Array<CategoricalEvaluatorOutput | ScoreEvaluatorOutput>;
		mapping: EvaluatorMappingByTarget;
	};
	messages: Array<PromptMessage>;
	/** Labelled by hand, to see whether a model of yours judges alike. */
	examples: Array<{
		inputs: { [key: string]: unknown };
		label: string;
	}>;
};

export type EvaluatorUsage = {
	datasets: Array<{
		id: string;
		name: string;
	}>;
	/** Experiment jobs that have not ended. */
	jobs: Array<{
		id: string;
		name: string;
	}>;
	/** Datasets that you do not see. */
	hidden: number;
};

export type EvaluatorVersionDefinition = {
	kind: "LLM";
	inputs: Array<InputOfEvaluator>;
	outputs: Array<CategoricalEvaluatorOutput | ScoreEvaluatorOutput>;
	mapping?: EvaluatorMappingByTarget;
	variant: JudgeVariant;
	/** Characters of all inputs together. */
	max_input_chars: number;
	/** Whether longer inputs are an error, or are cut in their middle, which the result then says. */
	when_too_long: "skip" | "cut";
	/** Whether images in inputs are sent to the model. */
	include_images: boolean;
} | {
	kind: "CODE";
	inputs: Array<InputOfEvaluator>;
	outputs: Array<CategoricalEvaluatorOutput | ScoreEvaluatorOutput>;
	mapping?: EvaluatorMappingByTarget;
	/** Of TypeScript, types are left out before it runs. */
	language: "javascript" | "typescript";
	/** Has a function `evaluate`, which gets an object with the inputs. */
	source: string;
	timeout_ms: number;
	memory_mib: number;
} | {
	kind: "BUILT_IN";
	builtin: {
		key: string;
		parameters: { [key: string]: unknown };
	};
	inputs: Array<InputOfEvaluator>;
	outputs: Array<CategoricalEvaluatorOutput | ScoreEvaluatorOutput>;
	mapping: EvaluatorMappingByTarget;
};

export type EvaluatorVersionDiff = {
	id: string;
	against: string;
	is_equal: boolean;
	changes: Array<{
		path: Array<string | number>;
		kind: "added" | "removed" | "changed";
		before: unknown;
		after: unknown;
	}>;
};

export type EvaluatorVersionOfEvaluator = {
	id: string;
	evaluator_id: string;
	/** From 1, in the order in which versions were made. */
	number: number;
	/** The template that it was made from. */
	template: string | null;
	version: EvaluatorVersionDefinition;
	user_id: string | null;
	created_at: string;
};

export type EvaluatorVersionPage = {
	data: Array<EvaluatorVersionOfEvaluator>;
	next_cursor: string | null;
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
	/** What the server ran: `variant`, `variables` and `append_messages` of its job; null for others. */
	task: { [key: string]: unknown } | null;
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

export type ExperimentGate = {
	passed: boolean;
	/** Why it does not pass, besides the requirements. */
	problems: Array<{
		code: "incomplete" | "no_baseline";
		message: string;
	}>;
	/** The page of the experiment, beside the baseline if there is one. */
	url: string;
	experiment: {
		id: string;
		name: string;
		example_count: number;
		repetitions: number;
		successful_run_count: number;
		failed_run_count: number;
		missing_run_count: number;
	};
	baseline: {
		id: string;
		name: string;
		example_count: number;
		repetitions: number;
	} | null;
	requirements: Array<{
		requirement: string;
		outcome: "passed" | "failed" | "skipped";
		/** Why it was not passed. */
		reason: "not_met" | "no_value" | "unknown_metric" | "too_few" | "no_baseline" | null;
		value: number | null;
		/** How many examples, or runs, the value is of. */
		count: number | null;
		/** 95 %. */
		confidence_interval: Array<unknown> | null;
		message: string;
	}>;
	/** The ten examples that lost most against the baseline. */
	regressions: Array<{
		metric: string;
		example_id: string;
		external_id: string | null;
		value: number;
		baseline_value: number;
		url: string;
	}>;
};

export type ExperimentJob = {
	id: string;
	kind: "run" | "evaluate";
	name: string;
	state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
	/** Why it is paused or has failed. */
	reason: "asked" | "cost_limit" | "budget_exhausted" | "failing" | "storage_full" | "connection_off" | "connection_unconfirmed" | "calls_off" | "price_unknown" | "restored" | "dataset_deleted" | null;
	/** The same in a sentence. */
	error: string | null;
	dataset_id: string;
	dataset_version_id: string | null;
	/** In the order of the variants. */
	experiments: Array<{
		id: string;
		name: string;
	}>;
	runs: {
		total: number;
		done: number;
		failed: number;
		running: number;
		skipped: number;
		/** Begun more than once. */
		retried: number;
	};
	/** They are added as the runs come. */
	evaluations: {
		total: number;
		done: number;
		failed: number;
		running: number;
		skipped: number;
		/** Begun more than once. */
		retried: number;
	};
	/** Spent so far, calls under way at their highest cost included. */
	cost_usd: number;
	max_cost_usd: number | null;
	/** What the rest will cost if it costs as much as what is done; null before. */
	rest_usd: number | null;
	/** At the pace of the last minute; null while nothing ends. */
	minutes_left: number | null;
	/** Who started it; null for nobody, and for accounts that are gone. */
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type ExperimentJobEstimate = {
	examples: number;
	runs: number;
	evaluations: number;
	/** Input and output of all calls. */
	tokens: {
		low: number;
		high: number;
	};
	/** Null where a model has no price. */
	cost_usd: {
		low: number;
		high: number;
	} | null;
	/** Models without a price. A job that has a limit of money pauses at their first call. */
	unpriced_models: Array<string>;
	minutes: {
		low: number;
		high: number;
	};
	/** On what this rests, in a sentence. */
	basis: string;
	/** What would make runs fail, as seen in the examples that were looked at, such as a missing variable. */
	problems: Array<{
		variant: number;
		message: string;
	}>;
};

export type ExperimentJobPage = {
	data: Array<ExperimentJob>;
	next_cursor: string | null;
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

export type ExperimentRunDetails = {
	id: string;
	experiment_id: string;
	experiment_name: string;
	dataset_id: string;
	dataset_example_id: string;
	repetition_number: number;
	/** Of the experiment. */
	repetitions: number;
	input: { [key: string]: unknown };
	reference_output: { [key: string]: unknown };
	/** Of the example. */
	metadata: { [key: string]: unknown };
	/** Any JSON. */
	output: unknown;
	error: string | null;
	latency_ms: number;
	start_time: string;
	end_time: string;
	trace_id: string | null;
	/** Of the project that has the trace, if the caller sees it. */
	project_name: string | null;
	evaluations: Array<ExperimentRunEvaluation> | null;
	/** The decisions of adjudicators first. */
	reviews: Array<ExperimentRunReview> | null;
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

export type ExperimentRunReview = {
	name: string;
	label: string | null;
	score: number | null;
	explanation: string | null;
	identifier: string;
	/** Of the review queue, which may be gone. */
	queue_id: string;
	/** What an adjudicator decided: the answer that counts. */
	is_decision: boolean;
	user_id: string | null;
	username: string | null;
	source: "API" | "APP";
	created_at: string;
	updated_at: string;
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

export type Facet = {
	field: string;
	/** The most frequent first; null stands for rows without a value. */
	values: Array<{
		value: string | number | boolean | null;
		label: string;
		count: number;
		/** Selects the rows with this value; null where filters cannot say it. */
		filter: string | null;
	}>;
	/** Different values, null among them; of those that contain `value_contains`. */
	distinct: number;
	/** Time was up before all was read, or some errors are still to be grouped: counts say at least. */
	is_partial: boolean;
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

export type ImageContentPart = {
	type: "image";
	media_type: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
	/** Its bytes in base64; 5 MiB at most. */
	data: string;
};

export type ImageContentPartInput = {
	type: "image";
	media_type: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
	/** Its bytes in base64; 5 MiB at most. */
	data: string;
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

export type InputOfEvaluator = {
	name: string;
	/** Without a value for it nothing is evaluated. */
	required: boolean;
	description?: string;
};

export type InputOfEvaluatorInput = {
	name: string;
	/** Without a value for it nothing is evaluated. */
	required?: boolean;
	description?: string;
};

export type InsertedAnnotation = {
	id: string;
};

export type JudgeVariant = {
	connection_id: string;
	/** The connection's default model when absent. */
	model?: string;
	label?: string;
	prompt_version_id?: string;
	messages?: Array<PromptMessage>;
	/** MUSTACHE when absent. */
	template_format?: "MUSTACHE" | "F_STRING";
	invocation_parameters?: {
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
};

export type JudgeVariantInput = {
	connection_id: string;
	/** The connection's default model when absent. */
	model?: string;
	label?: string;
	prompt_version_id?: string;
	messages?: Array<PromptMessageInput>;
	/** MUSTACHE when absent. */
	template_format?: "MUSTACHE" | "F_STRING";
	invocation_parameters?: {
		type: "openai";
		openai: PromptOpenAIInvocationParametersContentInput;
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

export type ListedEvaluatorTemplate = {
	/** Key and version, for `template` of an evaluator that is made from it. */
	id: string;
	key: string;
	title: string;
	description: string;
	known_weaknesses: Array<string>;
	/** What it can judge. */
	targets: Array<"span" | "trace" | "session" | "run">;
	outputs: Array<string>;
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

export type LlmEvaluatorVersionInput = {
	kind: "LLM";
	inputs: Array<InputOfEvaluatorInput>;
	outputs: Array<CategoricalEvaluatorOutputInput | ScoreEvaluatorOutputInput>;
	mapping?: EvaluatorMappingByTargetInput;
	variant: JudgeVariantInput;
	/** Characters of all inputs together. */
	max_input_chars?: number;
	/** Whether longer inputs are an error, or are cut in their middle, which the result then says. */
	when_too_long?: "skip" | "cut";
	/** Whether images in inputs are sent to the model. */
	include_images?: boolean;
};

export type MailState = {
	/** Name and port; null where no mails are sent. */
	server: string | null;
	sender: string;
	/** Whether mails can be sent, and their sender is one that others accept. */
	steps: Array<SignInStep>;
};

export type MergeErrorGroupsBodyInput = {
	/** Groups of the same project, which end with this. */
	ids: Array<string>;
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

/** Admins see all of it, others how it can be used. */
export type ModelConnection = {
	id: string;
	name: string;
	kind: "openai" | "openai_compatible" | "azure_openai" | "anthropic" | "google" | "google_vertex" | "aws_bedrock";
	/** Names that may be used; null: all. */
	models: Array<string> | null;
	default_model: string | null;
	enabled: boolean;
	state: "ready" | "failing" | "unconfirmed" | "off";
	use_by: "members" | "admins";
	/** Who may switch on a rule that sends live traffic through it. */
	rules_by: "members" | "admins";
	/** `settings`: declared by SERVICE_MODEL_CONNECTIONS, and read-only. */
	origin?: "api" | "settings";
	/** Null where it is the kind's own. */
	base_url?: string | null;
	/** Where requests go. */
	address?: string | null;
	api?: "responses" | "chat_completions" | null;
	settings?: {
		region?: string;
		project?: string;
		location?: string;
		api_version?: string;
		organization?: string;
	};
	/** Which there are, never their values; `secret` is the name of a stored secret. */
	credentials?: { [key: string]: {
		secret: string | null;
		updated_at: string | null;
	} };
	/** Names of its own headers. */
	headers?: Array<string>;
	/** False for what was made or changed while authentication was off. */
	confirmed?: boolean;
	failing?: {
		code: string;
		reason: string;
		since: string;
	} | null;
	max_concurrency?: number;
	requests_per_minute?: number | null;
	tokens_per_minute?: number | null;
	monthly_budget_usd?: number | null;
	timeout_seconds?: number;
	/** Of this month. */
	spending?: {
		/** UTC, such as `2026-11`. */
		month: string;
		spent_usd: number;
		/** What calls under way may cost at most. */
		reserved_usd: number;
	};
	user_id?: string | null;
	created_at?: string;
	updated_at?: string;
};

export type ModelConnectionModels = {
	data: Array<{
		name: string;
		/** `by_hand`: of the connection, and not in the provider's list. */
		source: "provider" | "by_hand";
		/** US dollars for a million tokens; null: no price is known, so limits in dollars refuse it. */
		price: {
			input: number | null;
			output: number | null;
		} | null;
	}>;
	/** Why there is no list of the provider. */
	problem: {
		code: string;
		message: string;
	} | null;
};

export type ModelConnectionPage = {
	data: Array<ModelConnection>;
	next_cursor: string | null;
};

export type ModelConnectionPreset = {
	id: string;
	name: string;
	kind: "openai" | "openai_compatible" | "azure_openai" | "anthropic" | "google" | "google_vertex" | "aws_bedrock";
	base_url: string;
	needs_key: boolean;
	/** The name under which its key is usually stored, and whether there is such a secret. */
	secret: {
		key: string;
		is_stored: boolean;
	} | null;
};

export type ModelConnectionTest = {
	/** No step failed. */
	ok: boolean;
	steps: Array<{
		name: "address" | "connect" | "certificate" | "authentication" | "model_list" | "answer" | "stream" | "tools" | "structured_output";
		outcome: "ok" | "warning" | "failed" | "skipped";
		/** What was seen, or why it failed and what to change. */
		message: string;
		/** The variable to change. */
		setting: string | null;
		latency_ms: number;
	}>;
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

export type ModelUsage = {
	/** `2026-11`, UTC */
	month: string;
	purpose: "playground" | "experiment" | "evaluator" | "chat_completions" | "test";
	/** Empty for models that the provider does not know, together. */
	model: string;
	/** Each try counts, and what was refused before it was sent. */
	calls: number;
	/** Of them, those that failed, by the code of the error. */
	errors: { [key: string]: number };
	/** As the provider counted them. */
	input_tokens: number;
	output_tokens: number;
	/** As booked; of a call that was cut short, the most that it may have cost. */
	cost_usd: number;
};

export type ModelUsageList = {
	data: Array<ModelUsage>;
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

export type PatchReviewQueueBodyInput = {
	name?: string;
	description?: string | null;
	/** Markdown, for reviewers. */
	guidance?: string | null;
	questions?: Array<ReviewQuestionBodyInput>;
	/** Independent answers that each item needs. */
	reviews_required?: number;
	/** Ids of users; null for everybody who may annotate. */
	reviewers?: Array<string> | null;
	/** Ids of users. Admins always are. */
	adjudicators?: Array<string>;
	/** Of a blind queue: who is given an item does not get annotations by anything but people with it. The annotations themselves can still be read where they are. */
	hide_model_annotations?: boolean;
	/** Oldest and newest by when items were added; of equal priority the oldest first. */
	order?: "oldest" | "newest" | "random" | "priority";
	/** How long an item is kept for who took it. */
	lease_minutes?: number;
	due_at?: string | null;
	archived?: boolean;
};

export type PlaygroundDelta = {
	/** Position in `variants`, from 0. */
	variant: number;
	/** From 1. */
	repetition: number;
	text?: string;
	reasoning?: string;
};

export type PlaygroundDone = {
	/** `access_ended`: you may not run this any more. `stopping`: the server is about to stop. */
	reason: "finished" | "access_ended" | "stopping";
};

export type PlaygroundEnd = {
	/** Position in `variants`, from 0. */
	variant: number;
	/** From 1. */
	repetition: number;
	output: PlaygroundOutput;
	usage: PlaygroundUsage | null;
	/** Null where the model has no price. */
	cost_usd: number | null;
	latency_ms: number;
	/** Of streamed answers. */
	first_token_ms: number | null;
	warnings: Array<string>;
	trace_id: string | null;
	span_id: string | null;
};

export type PlaygroundError = {
	/** Position in `variants`, from 0. */
	variant: number;
	/** From 1. */
	repetition: number;
	code: "authentication" | "quota" | "rate_limited" | "budget_exhausted" | "price_unknown" | "model_not_found" | "unsupported_parameter" | "content_filtered" | "context_too_long" | "bad_request" | "bad_response" | "interrupted" | "timeout" | "unreachable" | "forbidden_address" | "untrusted_certificate" | "proxy" | "cancelled" | "connection_off" | "connection_unconfirmed" | "calls_off";
	message: string;
	/** The parameter that the provider refused. */
	parameter?: string;
	/** What came before. */
	partial: {
		text: string;
		reasoning: string;
		tool_calls: Array<PlaygroundToolCall>;
		usage: PlaygroundUsage | null;
	} | null;
	/** Null where the model has no price. */
	cost_usd: number | null;
	latency_ms: number;
	trace_id: string | null;
	span_id: string | null;
};

/** One server-sent event; `data` is JSON. */
export type PlaygroundEvent = {
	event: "start";
	data: PlaygroundStart;
} | {
	event: "delta";
	data: PlaygroundDelta;
} | {
	event: "tool_call";
	data: PlaygroundToolCallEvent;
} | {
	event: "end";
	data: PlaygroundEnd;
} | {
	event: "error";
	data: PlaygroundError;
} | {
	event: "heartbeat";
	data: { [key: string]: unknown };
} | {
	event: "done";
	data: PlaygroundDone;
};

export type PlaygroundOutput = {
	text: string;
	reasoning: string;
	tool_calls: Array<PlaygroundToolCall>;
	/** What the provider wants back when the conversation goes on: parts of the assistant's message, before its text and calls of tools. */
	signed_reasoning?: Array<ReasoningContentPart>;
	/** `stop`, `length`, `tool_calls`, `content_filter`, or the provider's word. */
	finish_reason: string;
	/** The model that answered, as the provider names it. */
	model: string;
	/** The text as JSON, where a response format was asked for. */
	parsed?: unknown;
	/** Where a response format was asked for; empty when the answer fits its schema. */
	schema_errors?: Array<PlaygroundSchemaError>;
};

export type PlaygroundRun = {
	/** Name of the project that gets the traces. */
	project: string;
	calls: Array<{
		/** Position in `variants`, from 0. */
		variant: number;
		/** From 1. */
		repetition: number;
		label: string | null;
		model: string;
	}>;
	/** By variant and repetition; what has a `code` failed. */
	data: Array<PlaygroundEnd | PlaygroundError>;
};

export type PlaygroundRunBodyInput = {
	variants: Array<VariantInput>;
	/** Values by the name that templates use. */
	variables?: { [key: string]: unknown };
	repetitions?: number;
	/** Id or name of the project that gets the traces. */
	project?: string;
	/** Id or name of the project whose content the run begins with. Where its access is restricted, the traces go to a project with the same access. */
	source?: string;
	/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
	allow_wider_access?: boolean;
	stream?: boolean;
};

export type PlaygroundSchemaError = {
	/** The way to the value in the answer: names, and positions in lists. */
	path: Array<string>;
	message: string;
};

export type PlaygroundSource = {
	variant: PlaygroundSourceVariant;
	variables: { [key: string]: unknown };
	/** Sentences about what could not be taken over. */
	not_captured: Array<string>;
	/** As it was recorded; of a prompt version, its `model_provider`. */
	provider: string | null;
	/** The version that this is. */
	prompt_version_id: string | null;
	/** The project that this is from, for `source` of a run; null for the library. */
	project_id: string | null;
};

export type PlaygroundSourceVariant = {
	/** A connection that has the model; null where there is none. */
	connection_id: string | null;
	model: string | null;
	label: string | null;
	messages: Array<VariantMessage>;
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
	} | null;
	tools: PromptTools | null;
	response_format: PromptResponseFormat | null;
};

export type PlaygroundStart = {
	/** Name of the project that gets the traces. */
	project: string;
	calls: Array<{
		/** Position in `variants`, from 0. */
		variant: number;
		/** From 1. */
		repetition: number;
		label: string | null;
		model: string;
	}>;
};

export type PlaygroundToolCall = {
	id: string;
	name: string;
	/** JSON, as the model wrote it. */
	arguments: string;
};

export type PlaygroundToolCallEvent = {
	/** Position in `variants`, from 0. */
	variant: number;
	/** From 1. */
	repetition: number;
	tool_call: PlaygroundToolCall;
};

/** Tokens as the provider counted them. */
export type PlaygroundUsage = {
	/** With what was read from and written to caches. */
	input: number;
	/** With reasoning. */
	output: number;
	cache_read?: number;
	cache_write?: number;
	reasoning?: number;
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

export type PutDatasetEvaluatorBodyInput = {
	/** The newest one, whichever that is, when absent. */
	version_id?: string | null;
	/** Where its inputs come from; that of the version when absent. */
	mapping?: EvaluatorMappingInput | null;
	run_automatically?: boolean;
};

export type PutReviewRuleBodyInput = {
	/** Name or id. */
	project: string;
	/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
	filter: string;
	/** Which part of what matches is added, by the id of the trace or session: 0.2 for a fifth. */
	sample?: number;
	/** No more are added on a day, in UTC. */
	daily_limit?: number | null;
	enabled?: boolean;
};

export type RawValue = {
	attribute: string;
	value: unknown;
	mime?: string;
};

/** What a model thought, in a message of the assistant. */
export type ReasoningContentPart = {
	type: "reasoning";
	/** Empty where the provider does not tell. */
	text: string;
	/** Nobody else can read it, and it is sent to nobody else. */
	provider: "anthropic" | "google" | "aws_bedrock";
	/** As the provider gave it. */
	signature?: string;
	/** Thoughts that only the provider can read. */
	redacted?: string;
	/** The call that the signature belongs to. */
	tool_call_id?: string;
};

/** What a model thought, in a message of the assistant. */
export type ReasoningContentPartInput = {
	type: "reasoning";
	/** Empty where the provider does not tell. */
	text: string;
	/** Nobody else can read it, and it is sent to nobody else. */
	provider: "anthropic" | "google" | "aws_bedrock";
	/** As the provider gave it. */
	signature?: string;
	/** Thoughts that only the provider can read. */
	redacted?: string;
	/** The call that the signature belongs to. */
	tool_call_id?: string;
};

export type ReplaceDashboardBodyInput = {
	name: string;
	description?: string | null;
	/** Private ones are there for their owner only. */
	visibility?: "shared" | "private";
	/** As in `GET /v1/analytics`. */
	range?: string;
	/** IANA name, or `browser`. */
	time_zone?: string | null;
	refresh_seconds?: 30 | 60 | 300 | 900 | null;
	/** Narrows every widget. */
	filter?: string | null;
	/** Fields to group by, each a menu of values that narrows every widget. */
	controls?: Array<string>;
	widgets?: Array<DashboardWidgetInput>;
	/** Moves it; null for one across projects. It stays where it is when absent. */
	project_id?: string | null;
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

export type Review = {
	/** Null where the queue is blind and the item is not decided. */
	reviewer: Reviewer | null;
	status: "done" | "skipped";
	answers: Array<ReviewAnswer> | null;
	reason: string | null;
	finished_at: string | null;
};

export type ReviewAdjudicationBodyInput = {
	answers: Array<ReviewAnswerBodyInput>;
};

export type ReviewAgreement = {
	/** With two answers or more. */
	items: number;
	/** To these items. */
	answers: number;
	/** From 0 to 1; numbers agree within the tolerance of the question. */
	percent_agreement: ReviewEstimate;
	/** Null where there are not exactly two reviewers, and of numbers. */
	cohens_kappa: ReviewEstimate | null;
	krippendorffs_alpha: ReviewEstimate;
	/** Of items with exactly as many answers as are required. Null of numbers. */
	fleiss_kappa: ReviewEstimate | null;
};

export type ReviewAnnotationName = {
	name: string;
	/** Items that are done or decided whose targets have such an annotation. */
	items: number;
	has_labels: boolean;
	has_scores: boolean;
};

export type ReviewAnswer = {
	annotation_config_id: string;
	name: string;
	label: string | null;
	score: number | null;
	explanation: string | null;
};

export type ReviewAnswerBody = {
	annotation_config_id: string;
	label?: string | null;
	score?: number | null;
	/** The answer itself where the question asks for a text. */
	explanation?: string | null;
};

export type ReviewAnswerBodyInput = {
	annotation_config_id: string;
	label?: string | null;
	score?: number | null;
	/** The answer itself where the question asks for a text. */
	explanation?: string | null;
};

export type ReviewBodyInput = {
	answers: Array<ReviewAnswerBodyInput>;
	/** How long the page was visible, for the progress of the queue; those of the draft when absent. At most 600 count. */
	seconds?: number;
};

export type ReviewConfusionMatrix = {
	labels: Array<string>;
	/** `counts[i][j]`: items to which the first gave `labels[i]`, and the second `labels[j]`. */
	counts: Array<Array<number>>;
	pairs: number;
};

export type ReviewDifference = {
	item_id: string;
	target: {
		kind: "span" | "trace" | "session" | "experiment_run";
		/** As it was sent. */
		id: string;
		global_id: string;
		/** Null for a run of an experiment in the library. */
		project_id: string | null;
	};
	gold: {
		label: string | null;
		score: number | null;
		/** An adjudicator decided it; else the reviewers agreed. */
		is_decision: boolean;
	};
	judged: {
		label: string | null;
		score: number | null;
		/** Its first 2,000 characters. */
		explanation: string | null;
		annotator_kind: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
		identifier: string;
	};
};

export type ReviewDraftBodyInput = {
	/** As far as they are there; they need not be complete or valid. */
	answers: Array<ReviewAnswerBodyInput>;
	/** How long the page was visible until now. */
	seconds?: number;
};

export type ReviewEstimate = {
	/** `too_few`: below 10 pairs of answers. `undefined`: all answers are of one category, so that a statistic that corrects for chance is 0/0. */
	state: "measured" | "too_few" | "undefined";
	value: number | null;
	/** 95 %, by 2,000 resamples of the items; the same for the same answers. */
	interval: {
		low: number;
		high: number;
	} | null;
	/** Pairs of answers to the same item. */
	pairs: number;
};

export type ReviewGoldRun = {
	id: string;
	queue_id: string;
	/** Null before a run that makes it is done, when it was deleted, and when it is not seen. */
	dataset_id: string | null;
	/** The version that the run made; null before it is done. */
	version_id: string | null;
	annotation_config_id: string | null;
	gold: "all" | "decisions";
	state: "waiting" | "running" | "done" | "failed" | "cancelled";
	/** Items with gold answers at the start. */
	total_items: number;
	done_items: number;
	created_examples: number;
	/** Examples of the same spans that had another content. */
	updated_examples: number;
	unchanged_examples: number;
	left_out_items: number;
	/** The first ones. */
	left_out: Array<{
		item_id: string;
		reason: string;
	}>;
	/** Why the run failed. */
	error: string | null;
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type ReviewGoldRunPage = {
	data: Array<ReviewGoldRun>;
	next_cursor: string | null;
};

export type ReviewItem = {
	id: string;
	target: {
		kind: "span" | "trace" | "session" | "experiment_run";
		/** As it was sent. */
		id: string;
		/** Of the span, or the root span of the trace, in lists of items; null elsewhere, and for sessions. */
		name: string | null;
		global_id: string;
		/** Null for sessions and runs of experiments. */
		trace_id: string | null;
		/** Of a run of an experiment where its dataset is; null for the library. */
		project_id: string | null;
	};
	state: "pending" | "in_review" | "disagreement" | "done" | "removed";
	priority: number;
	/** Answers and skips. */
	turns_done: number;
	/** Those that the caller may see. */
	reviews: Array<Review>;
	/** The answers of an adjudicator, which are the ones that count. */
	decision: {
		decided_by: Reviewer;
		decided_at: string;
		answers: Array<ReviewAnswer>;
	} | null;
	created_at: string;
};

export type ReviewItemExample = {
	project_id: string;
	trace_id: string;
	span_id: string;
	/** For `span_ids` of `POST /v1/datasets/{id}/examples/from_spans`. */
	span_node_id: string;
	input: { [key: string]: unknown };
	output: { [key: string]: unknown };
	metadata: { [key: string]: unknown };
};

export type ReviewItemPage = {
	data: Array<ReviewItem>;
	next_cursor: string | null;
};

export type ReviewLabelScore = {
	label: string;
	/** Null where nothing was judged so. */
	precision: number | null;
	/** Null where gold never says so. */
	recall: number | null;
	f1: number | null;
	/** How often gold says so. */
	gold: number;
	/** How often it was judged so. */
	judged: number;
};

export type ReviewPerson = {
	id: string;
	username: string;
};

/** The annotation config as it was when the queue got it. */
export type ReviewQuestion = {
	annotation_config_id: string;
	name: string;
	type: "CATEGORICAL" | "CONTINUOUS" | "FREEFORM";
	description: string | null;
	values: Array<{
		label: string;
		score: number | null;
	}> | null;
	lower_bound: number | null;
	upper_bound: number | null;
	required: boolean;
	note: boolean;
	tolerance: number;
};

export type ReviewQuestionAgreement = {
	annotation_config_id: string;
	name: string;
	type: "CATEGORICAL" | "CONTINUOUS";
	/** Labels are `ordinal` where each has a score, and these go up or down in their order. */
	level: "nominal" | "ordinal" | "interval";
	agreement: ReviewAgreement;
	/** Those with the most items in common, at most 50. None of numbers. */
	reviewer_pairs: Array<ReviewerPair>;
	reviewer_pairs_left_out: number;
	/** None of numbers. */
	against_gold: Array<ReviewerAgainstGold>;
};

export type ReviewQuestionBodyInput = {
	annotation_config_id: string;
	required?: boolean;
	/** Whether an answer may have an explanation. */
	note?: boolean;
	/** Of a continuous question: answers that differ by no more than this agree. */
	tolerance?: number;
};

export type ReviewQueue = {
	id: string;
	name: string;
	description: string | null;
	guidance: string | null;
	target: "span" | "trace" | "session" | "experiment_run";
	questions: Array<ReviewQuestion>;
	reviews_required: number;
	reviewers: Array<string> | null;
	adjudicators: Array<string>;
	/** Names of the reviewers, the adjudicators and who made it, as far as they are there. */
	people: Array<ReviewPerson>;
	blind: boolean;
	hide_model_annotations: boolean;
	order: "oldest" | "newest" | "random" | "priority";
	seed: number;
	lease_minutes: number;
	due_at: string | null;
	/** Of items in projects that the caller sees. */
	counts: {
		pending: number;
		in_review: number;
		disagreement: number;
		done: number;
		removed: number;
	};
	created_at: string;
	updated_at: string;
	created_by: string | null;
	archived_at: string | null;
};

export type ReviewQueueAgreement = {
	reviews_required: number;
	/** Items whose answers count: of a blind queue those that are done. */
	items: number;
	/** Of a blind queue, items that wait for an adjudicator, whose answers only adjudicators may see: figures of others are better than those of all items. */
	disagreements_left_out: number;
	/** Of whole reviews: two agree where all their labels do. Null where no question has labels. */
	overall: ReviewAgreement | null;
	/** Texts are not compared. */
	questions: Array<ReviewQuestionAgreement>;
};

export type ReviewQueueCalibration = {
	annotation_name: string;
	annotation_config_id: string;
	name: string;
	type: "CATEGORICAL" | "CONTINUOUS";
	/** Items with a gold answer to the question. */
	gold_items: number;
	/** Those of them that have such an annotation, with a label or number as it is asked for. */
	compared: number;
	differing: number;
	/** From 0 to 1; numbers agree within the tolerance of the question. */
	percent_agreement: ReviewEstimate;
	/** Null where there are not exactly two reviewers, and of numbers. */
	cohens_kappa: ReviewEstimate | null;
	krippendorffs_alpha: ReviewEstimate;
	/** Gold has the rows. Null of numbers, and with more than 200 labels. */
	matrix: ReviewConfusionMatrix | null;
	/** In the order of the matrix. */
	labels: Array<ReviewLabelScore>;
	/** A page of the items where they differ. */
	differences: Array<ReviewDifference>;
};

export type ReviewQueueCalibrationPage = {
	data: ReviewQueueCalibration;
	next_cursor: string | null;
};

export type ReviewQueuePage = {
	data: Array<ReviewQueue>;
	next_cursor: string | null;
};

/** Of items in projects that the caller sees. */
export type ReviewQueueProgress = {
	items: number;
	done: number;
	/** Items that wait for reviews. */
	left: number;
	/** Items that wait for an adjudicator. */
	disagreements: number;
	removed: number;
	reviews: number;
	/** Reviews that the items that are left still need. */
	reviews_left: number;
	skips: number;
	decisions: number;
	/** With the page visible; of reviews that said it. */
	median_seconds: number | null;
	/** Most reviews first. */
	reviewers: Array<{
		reviewer: Reviewer;
		reviews: number;
		skips: number;
		/** With the page visible; of reviews that said it. */
		median_seconds: number | null;
	}>;
	/** In UTC, of those on which there was something the last 400, the oldest first. */
	days: Array<{
		date: string;
		reviews: number;
		skips: number;
		decisions: number;
	}>;
	/** When the last review would be there at the pace of the last seven days. Null when nothing is left, with fewer than 10 reviews in that time, and of an archived queue. */
	estimated_end: string | null;
};

export type ReviewRule = {
	project_id: string;
	filter: string;
	/** Which part of what matches is added, by the id of the trace or session: 0.2 for a fifth. */
	sample: number;
	/** No more are added on a day, in UTC. */
	daily_limit: number | null;
	enabled: boolean;
	/** Why it was switched off. */
	error: string | null;
	added_today: number;
	added: number;
	/** With whose rights it adds. */
	user_id: string | null;
	created_at: string;
	updated_at: string;
};

export type ReviewRulePreview = {
	/** Spans, traces or sessions that started in the last 24 hours and match. */
	matching: number;
	/** Those of them that the rule would add, apart from its daily limit. */
	sampled: number;
	/** False when counting took too long: there are more. */
	is_complete: boolean;
};

export type ReviewSkipBodyInput = {
	reason: string;
};

export type ReviewTargetInput = {
	span_id?: string;
	trace_id?: string;
	session_id?: string;
	experiment_run_id?: string;
	/** Name or id of the project; needed if an id exists in several. Not of a run. */
	project?: string;
};

export type ReviewTurn = {
	item: ReviewItem;
	/** Of the target, the newest first, at most 20; those by people alone if the queue hides the others. Of a run of an experiment its evaluations, and reviews of it that may be seen. */
	annotations: Array<ReviewTurnAnnotation>;
	reserved_until: string;
	/** What the caller kept of this item. */
	draft: {
		answers: Array<ReviewAnswerBody>;
		seconds?: number;
	} | null;
};

export type ReviewTurnAnnotation = {
	id: string;
	target: "span" | "trace" | "session" | "experiment_run";
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

/** Null for an account that was deleted, and while authentication is off. */
export type Reviewer = {
	id: string | null;
	username: string | null;
};

/** Gold has the rows of the matrix: what adjudicators decided. */
export type ReviewerAgainstGold = {
	reviewer: Reviewer;
	matrix: ReviewConfusionMatrix;
	percent_agreement: ReviewEstimate;
	cohens_kappa: ReviewEstimate;
};

export type ReviewerPair = {
	/** The first has the rows of the matrix. */
	reviewers: Array<Reviewer>;
	matrix: ReviewConfusionMatrix;
	percent_agreement: ReviewEstimate;
	cohens_kappa: ReviewEstimate;
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
		release: Array<SampledValue>;
		environment: Array<SampledValue>;
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

export type ScoreEvaluatorOutput = {
	/** Of the annotation or metric that it becomes. */
	name: string;
	optimization_direction: "MINIMIZE" | "MAXIMIZE" | "NONE";
	/** Whether a judge explains its verdict, and if it does so before it gives it, or after. */
	explanation: "none" | "before" | "after";
	type: "score";
	minimum?: number;
	maximum?: number;
	integer: boolean;
	/** Labels of scores, ascending. */
	thresholds?: Array<{
		/** The label is given to scores from here up to the next threshold. */
		from: number;
		label: string;
	}>;
};

export type ScoreEvaluatorOutputInput = {
	/** Of the annotation or metric that it becomes. */
	name: string;
	optimization_direction?: "MINIMIZE" | "MAXIMIZE" | "NONE";
	/** Whether a judge explains its verdict, and if it does so before it gives it, or after. */
	explanation?: "none" | "before" | "after";
	type: "score";
	minimum?: number;
	maximum?: number;
	integer?: boolean;
	/** Labels of scores, ascending. */
	thresholds?: Array<{
		/** The label is given to scores from here up to the next threshold. */
		from: number;
		label: string;
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

export type StartGoldRunBodyInput = {
	dataset_id?: string;
	/** Of a dataset, which is made if there is none of this name. */
	dataset_name?: string;
	/** Id or name of the project where it is to live; null or `library` for the library. */
	project?: string | null;
	/** The question whose text, or whose note, is the output of the examples; without it the output has all gold answers by the names of the questions. */
	annotation_config_id?: string;
	/** Decisions of adjudicators, and with `all` also what all reviewers of an item answered alike. */
	gold?: "all" | "decisions";
	/** Do it although more people will see what comes from a restricted project; needs the role editor in both. */
	allow_wider_access?: boolean;
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

export type StoredDashboardWidget = {
	/** Unique in the dashboard. */
	key: string;
	kind: "time_series" | "bar" | "table" | "number" | "histogram" | "heatmap" | "text";
	title: string;
	query: { [key: string]: unknown } | null;
	text: string | null;
	/** How the answer is drawn; what is absent fits the measure. */
	display: {
		/** Of a time series. */
		style?: "line" | "area" | "bars";
		stacked?: boolean;
		/** Written behind numbers, in place of the unit of the measure. */
		unit?: string;
		decimals?: number;
		log_scale?: boolean;
		/** Of counts and sums over time. */
		per?: "bucket" | "minute" | "hour" | "day";
		thresholds?: Array<{
			value: number;
			color: "warning" | "danger";
		}>;
		legend?: boolean;
	};
	layout: {
		x: number;
		y: number;
		w: number;
		h: number;
	};
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

export type TestModelConnectionBodyInput = {
	/** Is called four times, with 16 tokens of output each. When absent, nothing is asked that costs. */
	model?: string | null;
};

export type TestNewModelConnectionBodyInput = {
	name?: string;
	kind: "openai" | "openai_compatible" | "azure_openai" | "anthropic" | "google" | "google_vertex" | "aws_bedrock";
	base_url?: string | null;
	/** Of the kinds that have both. */
	api?: "responses" | "chat_completions" | null;
	settings?: {
		region?: string | null;
		project?: string | null;
		location?: string | null;
		api_version?: string | null;
		organization?: string | null;
	} | null;
	/** Names that may be used; null: all. */
	models?: Array<string> | null;
	default_model?: string | null;
	enabled?: boolean;
	use_by?: "members" | "admins";
	/** Who may switch on a rule that sends live traffic; `admins` when absent. */
	rules_by?: "members" | "admins";
	/** Calls at once, over all servers; 8 when absent. */
	max_concurrency?: number;
	requests_per_minute?: number | null;
	tokens_per_minute?: number | null;
	/** Dollars a month (UTC), over all servers. */
	monthly_budget_usd?: number | null;
	/** Until the first byte of an answer; 120 when absent. */
	timeout_seconds?: number;
	/** Each as `value`, which is stored encrypted, or as `secret`, the name of a stored secret. */
	credentials?: {
		api_key?: {
			value?: string;
			secret?: string;
		} | null;
		tenant_id?: {
			value?: string;
			secret?: string;
		} | null;
		client_id?: {
			value?: string;
			secret?: string;
		} | null;
		client_secret?: {
			value?: string;
			secret?: string;
		} | null;
		service_account?: {
			value?: string;
			secret?: string;
		} | null;
		access_key_id?: {
			value?: string;
			secret?: string;
		} | null;
		secret_access_key?: {
			value?: string;
			secret?: string;
		} | null;
		session_token?: {
			value?: string;
			secret?: string;
		} | null;
	} | null;
	/** Sent with each request; values are stored encrypted. */
	headers?: { [key: string]: string } | null;
	/** Is called four times, with 16 tokens of output each. When absent, nothing is asked that costs. */
	model?: string | null;
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

export type UnmergeErrorGroupBodyInput = {
	fingerprints: Array<string>;
};

export type UpdateAnnotationInput = {
	annotator_kind?: "LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION";
	result?: NewAnnotationResultInput | null;
	metadata?: { [key: string]: unknown } | null;
};

export type UpdateEvaluatorBodyInput = {
	/** Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit. */
	name?: string;
	description?: string | null;
	is_archived?: boolean;
};

export type UpdateModelConnectionBodyInput = {
	name?: string;
	kind?: "openai" | "openai_compatible" | "azure_openai" | "anthropic" | "google" | "google_vertex" | "aws_bedrock";
	base_url?: string | null;
	/** Of the kinds that have both. */
	api?: "responses" | "chat_completions" | null;
	settings?: {
		region?: string | null;
		project?: string | null;
		location?: string | null;
		api_version?: string | null;
		organization?: string | null;
	} | null;
	/** Names that may be used; null: all. */
	models?: Array<string> | null;
	default_model?: string | null;
	enabled?: boolean;
	use_by?: "members" | "admins";
	/** Who may switch on a rule that sends live traffic; `admins` when absent. */
	rules_by?: "members" | "admins";
	/** Calls at once, over all servers; 8 when absent. */
	max_concurrency?: number;
	requests_per_minute?: number | null;
	tokens_per_minute?: number | null;
	/** Dollars a month (UTC), over all servers. */
	monthly_budget_usd?: number | null;
	/** Until the first byte of an answer; 120 when absent. */
	timeout_seconds?: number;
	/** Absent ones stay; null deletes. */
	credentials?: {
		api_key?: {
			value?: string;
			secret?: string;
		} | null;
		tenant_id?: {
			value?: string;
			secret?: string;
		} | null;
		client_id?: {
			value?: string;
			secret?: string;
		} | null;
		client_secret?: {
			value?: string;
			secret?: string;
		} | null;
		service_account?: {
			value?: string;
			secret?: string;
		} | null;
		access_key_id?: {
			value?: string;
			secret?: string;
		} | null;
		secret_access_key?: {
			value?: string;
			secret?: string;
		} | null;
		session_token?: {
			value?: string;
			secret?: string;
		} | null;
	} | null;
	/** Absent ones stay; null deletes. */
	headers?: { [key: string]: string | null } | null;
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

export type VariantInput = {
	connection_id: string;
	/** The prompt version's, else the connection's default model, when absent. */
	model?: string;
	label?: string;
	/** Instead of `messages` and what stands beside them. */
	prompt_version_id?: string;
	messages?: Array<VariantMessageInput>;
	/** How variables are written in texts; `MUSTACHE` when absent. */
	template_format?: "MUSTACHE" | "F_STRING" | "NONE";
	/** Of any provider: what the connection's calls otherwise is translated, what it does not have is a warning. */
	invocation_parameters?: {
		type: "openai";
		openai: PromptOpenAIInvocationParametersContentInput;
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
	tools?: PromptToolsInput;
	response_format?: PromptResponseFormatInput;
};

/** As messages of prompt versions, with images and reasoning. */
export type VariantMessage = {
	role: "user" | "assistant" | "model" | "ai" | "tool" | "system" | "developer";
	content: string | Array<TextContentPart | ToolCallContentPart | ToolResultContentPart | ImageContentPart | ReasoningContentPart>;
};

/** As messages of prompt versions, with images and reasoning. */
export type VariantMessageInput = {
	role: "user" | "assistant" | "model" | "ai" | "tool" | "system" | "developer";
	content: string | Array<TextContentPartInput | ToolCallContentPartInput | ToolResultContentPartInput | ImageContentPartInput | ReasoningContentPartInput>;
};

export type View = {
	id: string;
	name: string;
	/** The list that it is of. */
	page: "traces" | "spans" | "sessions" | "users" | "errors";
	/** Null for the lists of every project. */
	project_id: string | null;
	state: ViewState;
	visibility: "shared" | "private";
	/** Null for the system, while authentication was off, and after the account was deleted. */
	owner_id: string | null;
	created_at: string;
	updated_at: string;
};

export type ViewPage = {
	data: Array<View>;
	next_cursor: string | null;
};

/** What the address of a list holds, by the names of the list's parameters. Each page has its own parts. */
export type ViewState = {
	/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
	filter?: string;
	/** Words to search for. */
	q?: string;
	/** Keys of columns in their order, with a width in pixels such as `name:240`; `-` before it hides one. */
	columns?: Array<string>;
	sort?: string;
	order?: "asc" | "desc";
	/** Up to now, or up to `end_time`. */
	range?: string;
	start_time?: string;
	end_time?: string;
	/** Only with an error, or only without. */
	error?: boolean;
	min_latency_ms?: number;
	max_latency_ms?: number;
	/** Exact values, any of which a row has to have. */
	name?: Array<string>;
	/** Exact values, any of which a row has to have. */
	user_id?: Array<string>;
	/** Exact values, any of which a row has to have. */
	session_id?: Array<string>;
	/** Exact values, any of which a row has to have. */
	model?: Array<string>;
	/** Exact values, any of which a row has to have. */
	span_kind?: Array<string>;
	state?: "open" | "resolved" | "ignored";
	/** Exact values, any of which a row has to have. */
	error_kind?: Array<string>;
	assignee?: string;
	/** Exact values, any of which a row has to have. */
	release?: Array<string>;
	/** Exact values, any of which a row has to have. */
	environment?: Array<string>;
};

/** What the address of a list holds, by the names of the list's parameters. Each page has its own parts. */
export type ViewStateInput = {
	/** A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text. */
	filter?: string;
	/** Words to search for. */
	q?: string;
	/** Keys of columns in their order, with a width in pixels such as `name:240`; `-` before it hides one. */
	columns?: Array<string>;
	sort?: string;
	order?: "asc" | "desc";
	/** Up to now, or up to `end_time`. */
	range?: string;
	start_time?: string;
	end_time?: string;
	/** Only with an error, or only without. */
	error?: boolean;
	min_latency_ms?: number;
	max_latency_ms?: number;
	/** Exact values, any of which a row has to have. */
	name?: Array<string>;
	/** Exact values, any of which a row has to have. */
	user_id?: Array<string>;
	/** Exact values, any of which a row has to have. */
	session_id?: Array<string>;
	/** Exact values, any of which a row has to have. */
	model?: Array<string>;
	/** Exact values, any of which a row has to have. */
	span_kind?: Array<string>;
	state?: "open" | "resolved" | "ignored";
	/** Exact values, any of which a row has to have. */
	error_kind?: Array<string>;
	assignee?: string;
	/** Exact values, any of which a row has to have. */
	release?: Array<string>;
	/** Exact values, any of which a row has to have. */
	environment?: Array<string>;
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
		/** Ask about many spans, traces or sessions of a project */
		"/v1/projects/{project_identifier}/analytics": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** What is counted. */
				of?: "spans" | "traces" | "sessions" | "annotations" | "errors" | "spend" | "ingest";
				/** Up to 8; `count` when absent, of spend `cost_total`, of ingest `accepted_spans`. `GET /v1/analytics/schema` lists them. */
				measure?: Array<string>;
				/** Up to 2. `GET /v1/analytics/schema` lists them. */
				group_by?: Array<string>;
				/** As in the list of these rows; for annotations as in the list of spans, about the span, the root span of a trace or that of a session's first trace; for errors as in the list of spans. */
				filter?: string;
				/** Words that occur besides, as in the list of these rows. */
				q?: string;
				/** Of annotations those with one of these names. */
				annotation_name?: Array<string>;
				/** Of annotations those by such annotators. */
				annotator_kind?: Array<"LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION">;
				/** Inclusive. */
				start_time?: string;
				/** Exclusive; now when absent. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. `24h` when there are no times either. */
				range?: string;
				/** IANA name, in which days and hours begin. */
				time_zone?: string;
				/** `auto`: at most 120 buckets. Of spend `15_minutes` and more. */
				bucket?: "none" | "auto" | "minute" | "5_minutes" | "15_minutes" | "hour" | "6_hours" | "day" | "week" | "month";
				/** Adds the same of a time before, bucket by bucket. */
				compare?: "previous_period" | "previous_day" | "previous_week" | "previous_month";
				/** A measure or `group`; `-` before it descends. The first measure, descending, when absent. */
				sort?: string;
				/** Groups; others are added up. At most 100 with buckets. */
				limit?: number;
				/** Instead of measures and groups: how a number is spread, with a bucket in each stretch of time. `latency_ms`, `total_cost`, `token_count_total`, of annotations `score`, or `attributes['…']`. */
				distribution?: string;
				/** Of the distribution at most so many, 5 to 100; 40 when absent. */
				bins?: number;
				/** Of the bins; `linear` when absent for scores and attributes, else `log`. */
				scale?: "log" | "linear";
				/** Answers 503 where the answer would be incomplete. */
				strict?: boolean;
			};
			response: {
				data: Analytics;
			};
		};
		/** Ask about many spans, traces or sessions of several projects */
		"/v1/analytics": {
			query?: {
				/** What is counted. */
				of?: "spans" | "traces" | "sessions" | "annotations" | "errors" | "spend" | "ingest";
				/** Up to 8; `count` when absent, of spend `cost_total`, of ingest `accepted_spans`. `GET /v1/analytics/schema` lists them. */
				measure?: Array<string>;
				/** Up to 2. `GET /v1/analytics/schema` lists them. */
				group_by?: Array<string>;
				/** As in the list of these rows; for annotations as in the list of spans, about the span, the root span of a trace or that of a session's first trace; for errors as in the list of spans. */
				filter?: string;
				/** Words that occur besides, as in the list of these rows. */
				q?: string;
				/** Of annotations those with one of these names. */
				annotation_name?: Array<string>;
				/** Of annotations those by such annotators. */
				annotator_kind?: Array<"LLM" | "CODE" | "HUMAN" | "AGENT" | "DECISION">;
				/** Inclusive. */
				start_time?: string;
				/** Exclusive; now when absent. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. `24h` when there are no times either. */
				range?: string;
				/** IANA name, in which days and hours begin. */
				time_zone?: string;
				/** `auto`: at most 120 buckets. Of spend `15_minutes` and more. */
				bucket?: "none" | "auto" | "minute" | "5_minutes" | "15_minutes" | "hour" | "6_hours" | "day" | "week" | "month";
				/** Adds the same of a time before, bucket by bucket. */
				compare?: "previous_period" | "previous_day" | "previous_week" | "previous_month";
				/** A measure or `group`; `-` before it descends. The first measure, descending, when absent. */
				sort?: string;
				/** Groups; others are added up. At most 100 with buckets. */
				limit?: number;
				/** Instead of measures and groups: how a number is spread, with a bucket in each stretch of time. `latency_ms`, `total_cost`, `token_count_total`, of annotations `score`, or `attributes['…']`. */
				distribution?: string;
				/** Of the distribution at most so many, 5 to 100; 40 when absent. */
				bins?: number;
				/** Of the bins; `linear` when absent for scores and attributes, else `log`. */
				scale?: "log" | "linear";
				/** Answers 503 where the answer would be incomplete. */
				strict?: boolean;
				/** Names or ids; all that the caller may read when absent, without those made for experiments and evaluators. */
				project?: Array<string>;
			};
			response: {
				data: Analytics;
			};
		};
		/** What can be asked: rows, measures, groups */
		"/v1/analytics/schema": {
			response: {
				data: AnalyticsSchema;
			};
		};
		/** Count the values of fields */
		"/v1/projects/{project_identifier}/facets": {
			path: {
				project_identifier: string;
			};
			query: {
				/** What is counted. */
				of?: "spans" | "traces" | "sessions" | "errors";
				/** 1 to 20 of the groups that `GET /v1/analytics/schema` lists, other than `project`. */
				field: Array<string>;
				/** As in the list of these rows; for errors as in the list of spans. */
				filter?: string;
				/** Inclusive. */
				start_time?: string;
				/** Exclusive; now when absent. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. `24h` when there are no times either. */
				range?: string;
				/** IANA name, in which days and hours begin. */
				time_zone?: string;
				/** Values of each field. */
				limit?: number;
				/** Part of the values as text, in any case. */
				value_contains?: string;
			};
			response: {
				data: Array<Facet>;
			};
		};
		/** List the keys of attributes, metadata, resources and annotations */
		"/v1/projects/{project_identifier}/attribute_keys": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Of traces and sessions, what their root spans have. */
				of?: "spans" | "traces" | "sessions";
				/** What keys begin with, in any case. */
				prefix?: string;
			};
			response: {
				data: Array<AttributeKey>;
				/** How many rows were looked at. */
				sampled: number;
			};
		};
		/** Page through the users of a project's traces */
		"/v1/projects/{project_identifier}/end_users": {
			path: {
				project_identifier: string;
			};
			query?: {
				/** Inclusive. */
				start_time?: string;
				/** Exclusive; now when absent. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. `30d` when there are no times either. */
				range?: string;
				/** IANA name, in which days and hours begin. */
				time_zone?: string;
				/** Part of the id, in any case. */
				q?: string;
				/** As in the list of traces. */
				filter?: string;
				sort?: "cost_total" | "last_seen" | "first_seen" | "traces" | "sessions" | "errors" | "tokens_total" | "latency_p95";
				order?: "asc" | "desc";
				/** `next_cursor` of the page before; the range is that of the first page. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: {
				data: Array<EndUser>;
				next_cursor: string | null;
				/** Things in the filter that are probably not meant, such as a misspelt field; absent if there are none. */
				warnings?: Array<FilterWarning>;
				/** Traces of the range that fit and belong to nobody in the list. */
				traces_without_user: number;
				/** Time was up before all traces of the range were read. */
				is_partial: boolean;
				/** From then on everything was read. */
				covered_start_time: string | null;
			};
		};
		/** Fetch a user of a project's traces */
		"/v1/projects/{project_identifier}/end_users/{user_id}": {
			path: {
				project_identifier: string;
				user_id: string;
			};
			query?: {
				/** Inclusive. */
				start_time?: string;
				/** Exclusive; now when absent. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. `30d` when there are no times either. */
				range?: string;
				/** IANA name, in which days and hours begin. */
				time_zone?: string;
				/** As in the list of traces. */
				filter?: string;
			};
			response: {
				data: EndUser;
				/** Time was up before all traces of the range were read. */
				is_partial: boolean;
				/** From then on everything was read. */
				covered_start_time: string | null;
			};
		};
		/** Page through the groups of errors of a project */
		"/v1/projects/{project_identifier}/error_groups": {
			path: {
				project_identifier: string;
			};
			query?: {
				release?: Array<string>;
				environment?: Array<string>;
				user_id?: Array<string>;
				/** Inclusive. */
				start_time?: string;
				/** Exclusive. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. All that is stored when there are no times either. */
				range?: string;
				/** `open` when absent. */
				state?: Array<"open" | "resolved" | "ignored">;
				error_kind?: Array<"refusal" | "provider_error" | "tool_failure" | "exception" | "error">;
				/** Id of a user, `me`, or `none`. */
				assignee?: string;
				/** Words that all occur in title, message or where it happened. */
				q?: string;
				/** A filter of spans: occurrences whose span fits. */
				filter?: string;
				/** Descending. */
				sort?: "last_seen" | "first_seen" | "count" | "users";
				include?: Array<"sparkline">;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: ErrorGroupPage;
		};
		/** Fetch a group of errors, with why its failures are together */
		"/v1/error_groups/{error_group_id}": {
			path: {
				error_group_id: string;
			};
			query?: {
				release?: Array<string>;
				environment?: Array<string>;
				user_id?: Array<string>;
				/** Inclusive. */
				start_time?: string;
				/** Exclusive. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. All that is stored when there are no times either. */
				range?: string;
			};
			response: {
				data: ErrorGroupDetail;
			};
		};
		/** Page through the failures of a group, newest first */
		"/v1/error_groups/{error_group_id}/occurrences": {
			path: {
				error_group_id: string;
			};
			query?: {
				release?: Array<string>;
				environment?: Array<string>;
				user_id?: Array<string>;
				/** Inclusive. */
				start_time?: string;
				/** Exclusive. */
				end_time?: string;
				/** Instead of times: a number of minutes, hours or days up to now, such as `15m`, `24h` or `7d`, or today, yesterday, this_week, last_week, this_month, last_month. All that is stored when there are no times either. */
				range?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 50 when absent. */
				limit?: number;
			};
			response: ErrorOccurrencePage;
		};
		/** Groups that may be the same: of the same kind and type of error, in the same place */
		"/v1/error_groups/{error_group_id}/similar": {
			path: {
				error_group_id: string;
			};
			response: {
				data: Array<ErrorGroup>;
			};
		};
		/** Page through what happened to a group of errors, newest first */
		"/v1/error_groups/{error_group_id}/activity": {
			path: {
				error_group_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ErrorActivityPage;
		};
		/** People who have had to do with the errors of a project, to whom others can be assigned */
		"/v1/projects/{project_identifier}/error_assignees": {
			path: {
				project_identifier: string;
			};
			response: {
				data: Array<{
					id: string;
					username: string;
				}>;
			};
		};
		/** The groups that the failures of a trace are in, by span */
		"/v1/projects/{project_identifier}/traces/{trace_id}/errors": {
			path: {
				project_identifier: string;
				trace_id: string;
			};
			response: {
				data: Array<{
					span_id: string;
					error_group: {
						id: string;
						title: string;
						state: "open" | "resolved" | "ignored";
						total_count: number;
						/** Of stored occurrences. */
						user_count: number;
						first_seen: string;
					};
				}>;
			};
		};
		/** Page through the comments on a group of errors, oldest first */
		"/v1/error_groups/{error_group_id}/comments": {
			path: {
				error_group_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ErrorCommentPage;
		};
		/** How the failures of a project are grouped */
		"/v1/projects/{project_identifier}/error_settings": {
			path: {
				project_identifier: string;
			};
			response: {
				data: ErrorSettings;
			};
		};
		/** Page through the saved views of lists, newest first: shared ones and one's own */
		"/v1/views": {
			query?: {
				/** Id or name: the views of this project, and those of every project. */
				project?: string;
				/** The list that it is of. */
				page?: "traces" | "spans" | "sessions" | "users" | "errors";
				/** Part of the name, in any case. */
				name_contains?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ViewPage;
		};
		/** Fetch a saved view */
		"/v1/views/{view_id}": {
			path: {
				view_id: string;
			};
			response: {
				data: View;
			};
		};
		/** The views that the lists of a project open with */
		"/v1/projects/{project_identifier}/default_views": {
			path: {
				project_identifier: string;
			};
			response: {
				data: DefaultViews;
			};
		};
		/** Download a dashboard as a file that can be imported */
		"/v1/dashboards/{dashboard_id}/export": {
			path: {
				dashboard_id: string;
			};
			query?: {
				/** Global id or name: of a built-in one, the project that it is about. */
				project?: string;
			};
			response: DashboardFile;
		};
		/** Page through dashboards, built-in ones first, then the newest */
		"/v1/dashboards": {
			query?: {
				/** Global id or name: only those of this project. All that the caller sees when absent. */
				project?: string;
				/** Part of the name, in any case. */
				name_contains?: string;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: DashboardPage;
		};
		/** Fetch a dashboard, with the ETag by which it is changed */
		"/v1/dashboards/{dashboard_id}": {
			path: {
				dashboard_id: string;
			};
			query?: {
				/** Global id or name: of a built-in one, the project that it is about. */
				project?: string;
			};
			response: {
				data: Dashboard;
			};
		};
		/** Page through review queues, newest first */
		"/v1/review_queues": {
			query?: {
				/** The archived ones instead of the others. */
				archived?: boolean;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ReviewQueuePage;
		};
		/** Fetch a review queue */
		"/v1/review_queues/{queue_id}": {
			path: {
				queue_id: string;
			};
			response: {
				data: ReviewQueue;
			};
		};
		/** Find a person whom a review queue can name, by the exact username */
		"/v1/review_people": {
			query: {
				q: string;
			};
			response: {
				data: Array<ReviewPerson>;
			};
		};
		/** Page through the items of a review queue in the order in which they were added */
		"/v1/review_queues/{queue_id}/items": {
			path: {
				queue_id: string;
			};
			query?: {
				state?: "pending" | "in_review" | "disagreement" | "done" | "removed";
				/** Only those that the caller reviewed or skipped. */
				reviewer?: "me";
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ReviewItemPage;
		};
		/** Fetch an item of a review queue */
		"/v1/review_queues/{queue_id}/items/{item_id}": {
			path: {
				queue_id: string;
				item_id: string;
			};
			response: {
				data: ReviewItem;
			};
		};
		/** One's last 50 reviews in a queue, which can be changed */
		"/v1/review_queues/{queue_id}/own_reviews": {
			path: {
				queue_id: string;
			};
			response: {
				data: Array<ReviewItem>;
			};
		};
		/** Fetch the rule that goes on filling a review queue */
		"/v1/review_queues/{queue_id}/rule": {
			path: {
				queue_id: string;
			};
			response: {
				data: ReviewRule;
			};
		};
		/** Count the items that wait for one's review, by queue */
		"/v1/open_reviews": {
			response: {
				data: Array<{
					queue_id: string;
					count: number;
				}>;
			};
		};
		/** Look at what one would be given next, without taking it */
		"/v1/review_queues/{queue_id}/upcoming": {
			path: {
				queue_id: string;
			};
			query?: {
				/** 3 when absent. */
				limit?: number;
			};
			response: {
				data: Array<ReviewItem>;
			};
		};
		/** The review queues in which a trace or spans of it are, and how far they are there */
		"/v1/projects/{project_identifier}/traces/{trace_id}/review_items": {
			path: {
				project_identifier: string;
				trace_id: string;
			};
			response: {
				data: Array<{
					queue_id: string;
					queue_name: string;
					item_id: string;
					target: {
						kind: "span" | "trace" | "session" | "experiment_run";
						id: string;
					};
					state: "pending" | "in_review" | "disagreement" | "done" | "removed";
				}>;
			};
		};
		/** How far reviewers agree, by question and over whole reviews */
		"/v1/review_queues/{queue_id}/agreement": {
			path: {
				queue_id: string;
			};
			response: {
				data: ReviewQueueAgreement;
			};
		};
		/** How far a review queue is, by reviewer and day, and when it would be done */
		"/v1/review_queues/{queue_id}/progress": {
			path: {
				queue_id: string;
			};
			response: {
				data: ReviewQueueProgress;
			};
		};
		/** List the names of annotations that can be compared with the gold answers of a review queue */
		"/v1/review_queues/{queue_id}/annotation_names": {
			path: {
				queue_id: string;
			};
			response: {
				data: Array<ReviewAnnotationName>;
			};
		};
		/** Compare annotations, such as those of a judge, with the gold answers of a review queue */
		"/v1/review_queues/{queue_id}/calibration": {
			path: {
				queue_id: string;
			};
			query: {
				/** Name of the annotations that are compared with gold. */
				annotation_name: string;
				/** The question; when absent the one of that name, else the first that does not ask for a text. */
				annotation_config_id?: string;
				/** Only annotations with it. When absent: of several on the same target the one that was changed last. */
				identifier?: string;
				/** `decisions`: only what adjudicators decided; else also what all reviewers answered alike. */
				gold?: "all" | "decisions";
				/** `csv`: the table of all items where they differ. */
				format?: "json" | "csv";
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ReviewQueueCalibrationPage;
		};
		/** Download the answers of a review queue, one row or JSON object an answer */
		"/v1/review_queues/{queue_id}/export": {
			path: {
				queue_id: string;
			};
			query?: {
				format?: "csv" | "jsonl";
				/** Put an apostrophe in front of cells that a spreadsheet would treat as a formula. `false` is for programs, which get the cells exactly as stored. */
				escape_formulas?: boolean;
			};
			response: string;
		};
		/** The example that the span of an item would become */
		"/v1/review_queues/{queue_id}/items/{item_id}/example": {
			path: {
				queue_id: string;
				item_id: string;
			};
			response: {
				data: ReviewItemExample;
			};
		};
		/** Page through the runs that made gold answers of a review queue examples, newest first */
		"/v1/review_queues/{queue_id}/gold_runs": {
			path: {
				queue_id: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ReviewGoldRunPage;
		};
		/** Progress of a run that makes gold answers examples */
		"/v1/review_queues/{queue_id}/gold_runs/{gold_run_id}": {
			path: {
				queue_id: string;
				gold_run_id: string;
			};
			response: {
				data: ReviewGoldRun;
			};
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
		/** Fetch a run with its example, its evaluations, and what people answered about it in review queues */
		"/v1/experiment_runs/{experiment_run_id}": {
			path: {
				experiment_run_id: string;
			};
			query?: {
				/** Whether `evaluations` and `reviews` are in the answer, else they are null. */
				judgements?: boolean;
			};
			response: {
				data: ExperimentRunDetails;
			};
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
		/** Whether an experiment meets requirements, for builds that fail where it does not */
		"/v1/experiments/{experiment_id}/gate": {
			path: {
				experiment_id: string;
			};
			query: {
				/** What has to hold, such as `mean('correctness') >= 0.8`; given once for each requirement. Values: `mean('x')`, `lower('x')` (of the 95 % interval), `min('x')`, `share('x', 'label')`, `count('x')`, `errors`, `missing`, `latency_mean_ms`, `latency_p95_ms`, `cost_usd`; against the baseline `delta('x')`, `delta_lower('x')`, `regressed('x')`, `improved('x')`. Operators: `>=`, `>`, `<=`, `<`, `==`. */
				require: Array<string>;
				/** Id of an experiment on the same dataset, or `tag:` and the name of a tag of the dataset's experiments. */
				baseline?: string;
				/** Where the baseline is not there, requirements that need it are skipped, not failed. */
				baseline_optional?: boolean;
				/** The experiment need not be finished. */
				allow_incomplete?: boolean;
				format?: "json" | "markdown" | "junit";
			};
			response: ExperimentGate;
		};
		/** Page through experiment jobs, newest first */
		"/v1/experiment_jobs": {
			query?: {
				/** Only those of this dataset. */
				dataset_id?: string;
				/** Only those of this experiment. */
				experiment_id?: string;
				/** Only those in one of these states. */
				state?: Array<"waiting" | "running" | "paused" | "done" | "failed" | "cancelled">;
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ExperimentJobPage;
		};
		/** Progress of an experiment job */
		"/v1/experiment_jobs/{job_id}": {
			path: {
				job_id: string;
			};
			response: {
				data: ExperimentJob;
			};
		};
		/** Progress of an experiment job as server-sent events */
		"/v1/experiment_jobs/{job_id}/stream": {
			path: {
				job_id: string;
			};
			response: string;
		};
		/** Page through evaluators, newest first */
		"/v1/evaluators": {
			query?: {
				/** Part of the name, in any case. */
				name_contains?: string;
				kind?: "LLM" | "CODE" | "BUILT_IN";
				/** Whether those that are archived are listed, and no others. */
				archived?: "true" | "false";
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: EvaluatorPage;
		};
		/** Fetch an evaluator by id or name */
		"/v1/evaluators/{evaluator_identifier}": {
			path: {
				evaluator_identifier: string;
			};
			response: {
				data: Evaluator;
			};
		};
		/** The datasets and unfinished jobs that use an evaluator */
		"/v1/evaluators/{evaluator_identifier}/usage": {
			path: {
				evaluator_identifier: string;
			};
			response: {
				data: EvaluatorUsage;
			};
		};
		/** Page through versions of an evaluator, newest first */
		"/v1/evaluators/{evaluator_identifier}/versions": {
			path: {
				evaluator_identifier: string;
			};
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: EvaluatorVersionPage;
		};
		/** Fetch one version of an evaluator */
		"/v1/evaluator_versions/{evaluator_version_id}": {
			path: {
				evaluator_version_id: string;
			};
			response: {
				data: EvaluatorVersionOfEvaluator;
			};
		};
		/** What changed between two versions: prompt, labels, parameters, code */
		"/v1/evaluator_versions/{evaluator_version_id}/diff": {
			path: {
				evaluator_version_id: string;
			};
			query: {
				/** Id of the version before. */
				against: string;
			};
			response: {
				data: EvaluatorVersionDiff;
			};
		};
		/** The built-in evaluators with the JSON Schema of their parameters */
		"/v1/builtin_evaluators": {
			response: {
				data: Array<BuiltInEvaluator>;
			};
		};
		/** The judges that come with the service, to begin with */
		"/v1/evaluator_templates": {
			response: {
				data: Array<ListedEvaluatorTemplate>;
			};
		};
		/** A template with its messages and labelled examples */
		"/v1/evaluator_templates/{template_key}": {
			path: {
				template_key: string;
			};
			response: {
				data: EvaluatorTemplate;
			};
		};
		/** The evaluators of a dataset, by name */
		"/v1/datasets/{dataset_id}/evaluators": {
			path: {
				dataset_id: string;
			};
			response: {
				data: Array<DatasetEvaluator>;
			};
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
		/** A model call, a prompt version or an experiment as a variant of the playground */
		"/v1/playground/sources": {
			query?: {
				/** Id of a model call, or its 16 hex digits. */
				span_id?: string;
				/** With `span_id`, where other traces have the same. */
				trace_id?: string;
				/** Id or name; with `span_id`. */
				project?: string;
				prompt_version_id?: string;
				/** An experiment that the server ran. */
				experiment_id?: string;
			};
			response: {
				data: PlaygroundSource;
			};
		};
		/** List the providers that there is a model connection to */
		"/v1/model_providers": {
			response: {
				data: Array<BuiltInModelProvider>;
			};
		};
		/** Page through the model connections as custom providers, newest first */
		"/v1/custom_model_providers": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: CustomModelProviderPage;
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
		/** Page through the model connections, newest first */
		"/v1/model_connections": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: ModelConnectionPage;
		};
		/** Fetch one model connection */
		"/v1/model_connections/{connection_id}": {
			path: {
				connection_id: string;
			};
			response: {
				data: ModelConnection;
			};
		};
		/** Providers with a known address, and whether their key is a stored secret */
		"/v1/model_connection_presets": {
			response: {
				data: Array<ModelConnectionPreset>;
			};
		};
		/** List what was called through a model connection by month, purpose and model, the newest month first */
		"/v1/model_connections/{connection_id}/usage": {
			path: {
				connection_id: string;
			};
			query?: {
				/** 12 when absent. */
				months?: number;
			};
			response: ModelUsageList;
		};
		/** List the models of a model connection, with their prices */
		"/v1/model_connections/{connection_id}/models": {
			path: {
				connection_id: string;
			};
			response: ModelConnectionModels;
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
				action?: Array<"login" | "login.locked" | "logout" | "logout.everywhere" | "session.end" | "session.reuse" | "password.change" | "password.reset" | "password.reset_request" | "user.create" | "user.update" | "user.delete" | "user.bind" | "user.unbind" | "sign_in.try" | "mail.try" | "api_key.create" | "api_key.update" | "api_key.rotate" | "api_key.expired_notice" | "api_key.delete" | "secret.write" | "secret.delete" | "secret.view" | "model_connection.create" | "model_connection.update" | "model_connection.delete" | "model_connection.confirm" | "model_connection.test" | "access.update" | "access.rule.create" | "access.rule.update" | "access.rule.delete" | "access.policy" | "team.create" | "team.update" | "team.delete" | "team.member.add" | "team.member.remove" | "mcp.write" | "oauth.client.create" | "oauth.client.update" | "oauth.client.delete" | "oauth.grant.create" | "oauth.grant.revoke" | "oauth.reuse" | "oauth.device" | "evaluator.create" | "evaluator.update" | "evaluator.delete" | "experiment_job.start" | "repair.start" | "repair.cancel" | "review_queue.create" | "review_queue.update" | "review_queue.fill" | "review_queue.remove_items" | "review_queue.adjudicate" | "review_queue.gold" | "review_queue.delete" | "access.denied" | "access.widened" | "service.start">;
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
		/** Make the same change of many groups of errors */
		"/v1/error_groups/batch": {
			body: ErrorGroupBatchInput;
			response: ErrorGroupBatchAnswer;
		};
		/** Put other groups into this one, with what comes of them */
		"/v1/error_groups/{error_group_id}/merge": {
			path: {
				error_group_id: string;
			};
			body: MergeErrorGroupsBodyInput;
			response: {
				data: ErrorGroup;
			};
		};
		/** Take fingerprints out of a group, each into a group of its own */
		"/v1/error_groups/{error_group_id}/unmerge": {
			path: {
				error_group_id: string;
			};
			body: UnmergeErrorGroupBodyInput;
			response: {
				data: Array<ErrorGroup>;
			};
		};
		/** Comment on a group of errors */
		"/v1/error_groups/{error_group_id}/comments": {
			path: {
				error_group_id: string;
			};
			body: ErrorCommentBodyInput;
			response: {
				data: ErrorComment;
			};
		};
		/** Save what a list shows under a name */
		"/v1/views": {
			body: {
				name: string;
				/** The list that it is of. */
				page: "traces" | "spans" | "sessions" | "users" | "errors";
				/** Id or name; null or absent for the lists of every project. */
				project?: string | null;
				state: ViewStateInput;
				/** `private`: only its owner sees it. */
				visibility?: "shared" | "private";
			};
			response: {
				data: View;
			};
		};
		/** Make a dashboard of an exported file */
		"/v1/dashboards/import": {
			query?: {
				/** Global id or name: where to make it. Across projects when absent. */
				project?: string;
			};
			body: DashboardFileInput;
			response: {
				data: Dashboard;
			};
		};
		/** Make a dashboard */
		"/v1/dashboards": {
			body: CreateDashboardBodyInput;
			response: {
				data: Dashboard;
			};
		};
		/** Make a review queue */
		"/v1/review_queues": {
			body: CreateReviewQueueBodyInput;
			response: {
				data: ReviewQueue;
			};
		};
		/** Add items to a review queue; what is in it already stays as it is */
		"/v1/review_queues/{queue_id}/items": {
			path: {
				queue_id: string;
			};
			body: AddReviewItemsBodyInput;
			response: {
				data: {
					added: number;
					/** Already in the queue, or named twice. */
					present: number;
				};
			};
		};
		/** Take the next item: nobody else is given the same turn until the lease ends */
		"/v1/review_queues/{queue_id}/next": {
			path: {
				queue_id: string;
			};
			response: {
				data: ReviewTurn;
			};
		};
		/** Answer the questions about an item that one holds, or change one's answers */
		"/v1/review_queues/{queue_id}/items/{item_id}/review": {
			path: {
				queue_id: string;
				item_id: string;
			};
			query?: {
				/** Take the next item, too, in the same answer. */
				next?: boolean;
			};
			body: ReviewBodyInput;
			response: {
				data: ReviewItem;
				/** With `next=true`: as of `POST …/next`, null where nothing is left. Absent where that is refused; asked by itself it says why. */
				next?: ReviewTurn | null;
			};
		};
		/** Leave an item that one holds to somebody else, for good */
		"/v1/review_queues/{queue_id}/items/{item_id}/skip": {
			path: {
				queue_id: string;
				item_id: string;
			};
			body: ReviewSkipBodyInput;
			response: undefined;
		};
		/** Give back an item that one holds; the draft is kept */
		"/v1/review_queues/{queue_id}/items/{item_id}/release": {
			path: {
				queue_id: string;
				item_id: string;
			};
			response: undefined;
		};
		/** Decide an item: these answers count, and reviews of it cannot be changed any more */
		"/v1/review_queues/{queue_id}/items/{item_id}/adjudication": {
			path: {
				queue_id: string;
				item_id: string;
			};
			body: ReviewAdjudicationBodyInput;
			response: {
				data: ReviewItem;
			};
		};
		/** Make the gold answers of a review queue a version of a dataset */
		"/v1/review_queues/{queue_id}/gold_runs": {
			path: {
				queue_id: string;
			};
			body: StartGoldRunBodyInput;
			response: {
				data: ReviewGoldRun;
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
		/** Create examples from spans: their input, output and metadata, or others */
		"/v1/datasets/{id}/examples/from_spans": {
			path: {
				id: string;
			};
			body: {
				/** Span ids in hex, or global ids. */
				span_ids: Array<string>;
				/** Name or id; narrows hex ids that several projects have. */
				project?: string | null;
				/** Of one span: in place of its input. */
				input?: { [key: string]: unknown };
				/** Of one span: in place of its output, such as a corrected one. */
				output?: { [key: string]: unknown };
				/** Of one span: in place of its metadata. */
				metadata?: { [key: string]: unknown };
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
		/** Run variants over a dataset, or evaluate an experiment, in the background */
		"/v1/experiment_jobs": {
			body: {
				kind: "run";
				dataset_id: string;
				/** Of the dataset; its newest version when absent. */
				version_id?: string | null;
				/** Ids or names; every example when absent. */
				splits?: Array<string> | null;
				/** Each becomes an experiment. */
				variants: Array<VariantInput>;
				/** Where the variables of the templates come from: paths into `input`, `expected` and `metadata` of the example. The members of its input when absent. */
				variables?: EvaluatorMappingInput | null;
				/** A path to messages of the example, such as `input.messages`, that follow those of the variant. */
				append_messages?: string | null;
				repetitions?: number;
				/** Those of the dataset that run automatically when absent. */
				evaluators?: Array<{
					/** Id or name. */
					evaluator_id: string;
					/** The newest version of now when absent. */
					version_id?: string | null;
					/** Where its inputs come from; that of the version when absent. */
					mapping?: EvaluatorMappingInput | null;
				}> | null;
				/** Of the experiments, with the label of the variant; made from the dataset's when absent. */
				name?: string | null;
				/** US dollars; the job pauses before its calls could cost more. No limit of its own when absent. */
				max_cost_usd?: number | null;
			} | {
				kind: "evaluate";
				experiment_id: string;
				evaluators: Array<{
					/** Id or name. */
					evaluator_id: string;
					/** The newest version of now when absent. */
					version_id?: string | null;
					/** Where its inputs come from; that of the version when absent. */
					mapping?: EvaluatorMappingInput | null;
				}>;
				/** `missing`: runs that have no evaluation of that name. `all`: also replaces those of programs, but never those of people, nor those that a client wrote after the job was started. */
				only?: "missing" | "all";
				/** US dollars; the job pauses before its calls could cost more. No limit of its own when absent. */
				max_cost_usd?: number | null;
			};
			response: {
				data: ExperimentJob;
			};
		};
		/** What a job would cost and how long it would take; calls nothing and stores nothing */
		"/v1/experiment_jobs/estimate": {
			body: {
				kind: "run";
				dataset_id: string;
				/** Of the dataset; its newest version when absent. */
				version_id?: string | null;
				/** Ids or names; every example when absent. */
				splits?: Array<string> | null;
				/** Each becomes an experiment. */
				variants: Array<VariantInput>;
				/** Where the variables of the templates come from: paths into `input`, `expected` and `metadata` of the example. The members of its input when absent. */
				variables?: EvaluatorMappingInput | null;
				/** A path to messages of the example, such as `input.messages`, that follow those of the variant. */
				append_messages?: string | null;
				repetitions?: number;
				/** Those of the dataset that run automatically when absent. */
				evaluators?: Array<{
					/** Id or name. */
					evaluator_id: string;
					/** The newest version of now when absent. */
					version_id?: string | null;
					/** Where its inputs come from; that of the version when absent. */
					mapping?: EvaluatorMappingInput | null;
				}> | null;
				/** Of the experiments, with the label of the variant; made from the dataset's when absent. */
				name?: string | null;
				/** US dollars; the job pauses before its calls could cost more. No limit of its own when absent. */
				max_cost_usd?: number | null;
			} | {
				kind: "evaluate";
				experiment_id: string;
				evaluators: Array<{
					/** Id or name. */
					evaluator_id: string;
					/** The newest version of now when absent. */
					version_id?: string | null;
					/** Where its inputs come from; that of the version when absent. */
					mapping?: EvaluatorMappingInput | null;
				}>;
				/** `missing`: runs that have no evaluation of that name. `all`: also replaces those of programs, but never those of people, nor those that a client wrote after the job was started. */
				only?: "missing" | "all";
				/** US dollars; the job pauses before its calls could cost more. No limit of its own when absent. */
				max_cost_usd?: number | null;
			};
			response: {
				data: ExperimentJobEstimate;
			};
		};
		/** Do again what failed, and nothing else; where nothing failed, the job stays as it is */
		"/v1/experiment_jobs/{job_id}/retry": {
			path: {
				job_id: string;
			};
			response: {
				data: ExperimentJob;
			};
		};
		/** Make an evaluator with its first version */
		"/v1/evaluators": {
			body: CreateEvaluatorBodyInput;
			response: {
				data: Evaluator;
			};
		};
		/** Add a version, which is the newest from now on; results of former ones stay as they are */
		"/v1/evaluators/{evaluator_identifier}/versions": {
			path: {
				evaluator_identifier: string;
			};
			body: CreateEvaluatorVersionBodyInput;
			response: {
				data: EvaluatorVersionOfEvaluator;
			};
		};
		/** Have an evaluator judge one span, trace, session, run or given values now */
		"/v1/evaluations": {
			body: EvaluateBodyInput;
			response: {
				data: EvaluationResult;
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
		/** Call models with up to six variants at once */
		"/v1/playground/runs": {
			body: PlaygroundRunBodyInput;
			response: PlaygroundRun;
		};
		/** Call a model, as OpenAI's Chat Completions */
		"/v1/chat/completions": {
			body: ChatCompletionBodyInput;
			response: ChatCompletion;
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
		/** Add a model connection */
		"/v1/model_connections": {
			body: CreateModelConnectionBodyInput;
			response: {
				data: ModelConnection;
			};
		};
		/** Confirm a model connection that was made or changed while authentication was off */
		"/v1/model_connections/{connection_id}/confirm": {
			path: {
				connection_id: string;
			};
			response: {
				data: ModelConnection;
			};
		};
		/** Try a model connection step by step */
		"/v1/model_connections/{connection_id}/test": {
			path: {
				connection_id: string;
			};
			body: TestModelConnectionBodyInput;
			response: ModelConnectionTest;
		};
		/** Try a model connection that is not stored */
		"/v1/model_connections/test": {
			body: TestNewModelConnectionBodyInput;
			response: ModelConnectionTest;
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
		/** Set how the failures of a project are grouped from now on */
		"/v1/projects/{project_identifier}/error_settings": {
			path: {
				project_identifier: string;
			};
			body: ErrorSettingsBodyInput;
			response: {
				data: ErrorSettings;
			};
		};
		/** Choose the shared views that the lists of a project open with */
		"/v1/projects/{project_identifier}/default_views": {
			path: {
				project_identifier: string;
			};
			body: {
				traces?: string | null;
				spans?: string | null;
				sessions?: string | null;
				users?: string | null;
				errors?: string | null;
			};
			response: {
				data: DefaultViews;
			};
		};
		/** Replace a dashboard entirely */
		"/v1/dashboards/{dashboard_id}": {
			path: {
				dashboard_id: string;
			};
			body: ReplaceDashboardBodyInput;
			response: {
				data: Dashboard;
			};
		};
		/** Keep a draft of one's review on the server */
		"/v1/review_queues/{queue_id}/items/{item_id}/draft": {
			path: {
				queue_id: string;
				item_id: string;
			};
			body: ReviewDraftBodyInput;
			response: undefined;
		};
		/** Set the rule that goes on filling a review queue: of one's own, or of any by admins */
		"/v1/review_queues/{queue_id}/rule": {
			path: {
				queue_id: string;
			};
			query?: {
				/** Sets nothing, and counts what started in the last 24 hours instead. */
				preview?: boolean;
			};
			body: PutReviewRuleBodyInput;
			response: {
				data: ReviewRule | ReviewRulePreview;
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
		/** Have an evaluator look at the runs of a dataset's experiments, or change how it does */
		"/v1/datasets/{dataset_id}/evaluators/{evaluator_identifier}": {
			path: {
				dataset_id: string;
				evaluator_identifier: string;
			};
			body: PutDatasetEvaluatorBodyInput;
			response: {
				data: DatasetEvaluator;
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
		/** Resolve, ignore, reopen or assign a group of errors */
		"/v1/error_groups/{error_group_id}": {
			path: {
				error_group_id: string;
			};
			body: ErrorGroupChangeInput;
			response: {
				data: ErrorGroup;
			};
		};
		/** Change a comment of one's own */
		"/v1/error_comments/{comment_id}": {
			path: {
				comment_id: string;
			};
			body: ErrorCommentBodyInput;
			response: {
				data: ErrorComment;
			};
		};
		/** Rename a view, save another state in it, or share it */
		"/v1/views/{view_id}": {
			path: {
				view_id: string;
			};
			body: {
				name?: string;
				state?: ViewStateInput;
				/** Only the owner makes a view private. */
				visibility?: "shared" | "private";
			};
			response: {
				data: View;
			};
		};
		/** Change a review queue: one's own, or any by admins */
		"/v1/review_queues/{queue_id}": {
			path: {
				queue_id: string;
			};
			body: PatchReviewQueueBodyInput;
			response: {
				data: ReviewQueue;
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
		/** Pause or resume a job, or change what it may cost */
		"/v1/experiment_jobs/{job_id}": {
			path: {
				job_id: string;
			};
			body: {
				state?: "paused" | "running";
				/** US dollars; the job pauses before its calls could cost more. No limit of its own when absent. */
				max_cost_usd?: number | null;
			};
			response: {
				data: ExperimentJob;
			};
		};
		/** Rename, describe, archive or restore an evaluator; its versions never change */
		"/v1/evaluators/{evaluator_identifier}": {
			path: {
				evaluator_identifier: string;
			};
			body: UpdateEvaluatorBodyInput;
			response: {
				data: Evaluator;
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
		/** Change a model connection; absent members stay */
		"/v1/model_connections/{connection_id}": {
			path: {
				connection_id: string;
			};
			body: UpdateModelConnectionBodyInput;
			response: {
				data: ModelConnection;
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
		/** Delete a comment of one's own, or any as an admin */
		"/v1/error_comments/{comment_id}": {
			path: {
				comment_id: string;
			};
			response: undefined;
		};
		/** Delete a saved view; others' shared ones are deleted by admins */
		"/v1/views/{view_id}": {
			path: {
				view_id: string;
			};
			response: undefined;
		};
		/** Delete a dashboard: one's own, or any shared one by admins */
		"/v1/dashboards/{dashboard_id}": {
			path: {
				dashboard_id: string;
			};
			response: undefined;
		};
		/** Delete a review queue with its items: one's own, or any by admins */
		"/v1/review_queues/{queue_id}": {
			path: {
				queue_id: string;
			};
			query?: {
				/** Also deletes the annotations that came of it. */
				delete_annotations?: boolean;
			};
			response: undefined;
		};
		/** Take an item out of a review queue */
		"/v1/review_queues/{queue_id}/items/{item_id}": {
			path: {
				queue_id: string;
				item_id: string;
			};
			response: undefined;
		};
		/** Delete the rule of a review queue; what it has added stays */
		"/v1/review_queues/{queue_id}/rule": {
			path: {
				queue_id: string;
			};
			response: undefined;
		};
		/** Cancel a run that makes gold answers examples: one's own, or any as an admin; nothing of it stays */
		"/v1/review_queues/{queue_id}/gold_runs/{gold_run_id}": {
			path: {
				queue_id: string;
				gold_run_id: string;
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
		/** Cancel a job; what it has recorded stays */
		"/v1/experiment_jobs/{job_id}": {
			path: {
				job_id: string;
			};
			response: undefined;
		};
		/** Archive an evaluator that nothing uses; results keep naming it */
		"/v1/evaluators/{evaluator_identifier}": {
			path: {
				evaluator_identifier: string;
			};
			response: undefined;
		};
		/** Take an evaluator out of a dataset; its results stay */
		"/v1/datasets/{dataset_id}/evaluators/{evaluator_identifier}": {
			path: {
				dataset_id: string;
				evaluator_identifier: string;
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
		/** Delete a model connection, with its credentials and what was counted of it */
		"/v1/model_connections/{connection_id}": {
			path: {
				connection_id: string;
			};
			query?: {
				/** Also while it is in use: what uses it does not work any more. */
				force?: boolean;
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
		/** Delete a user with their sessions, keys and private dashboards; what else they made stays */
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
