// Generated from docs/openapi.json by `npm run generate`.

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
		/** session, user_key, system_key, admin_secret, anonymous, or none */
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

export type CreatedSystemApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to tell keys apart: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Absent when the user was deleted; the key outlives them. */
	created_by?: {
		id: string;
		username: string;
	};
	/** The key itself. It is shown this once and stored nowhere. */
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
	/** Beginning and end of the key, to tell keys apart: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** The key itself. It is shown this once and stored nowhere. */
	key: string;
};

export type EffectiveSetting = {
	name: string;
	value: string;
};

export type IngestHealth = {
	started_at: string;
	/** Since the start, duplicates included. */
	accepted_spans: number;
	/** Accepted again and already stored, as after a retry. */
	duplicate_spans: number;
	accepted_log_records: number;
	/** Acknowledged, and not kept because they are no GenAI events of a span. */
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
	error_count: number;
	/** Of spans, within 5 %. */
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

export type NarrowSpan = {
	id: string;
	/** 16 hex digits. */
	span_id: string;
	parent_id: string | null;
	name: string;
	span_kind: string;
	status_code: "OK" | "ERROR" | "UNSET";
	start_time: string;
	end_time: string;
	trace_id: string;
	status_message: string;
	latency_ms: number;
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
};

export type NewSpanInput = {
	name: string;
	context: {
		trace_id: string;
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
	credential: "session" | "user_key" | "system_key" | "admin_secret";
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
	/** Beginning and end of the key, to tell keys apart: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	user: {
		id: string;
		username: string;
		/** Empty for an LDAP user without one. */
		email: string;
	};
};

export type OwnedApiKeyPage = {
	data: Array<OwnedApiKey>;
	next_cursor: string | null;
};

export type Problem = {
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
};

export type ProjectPage = {
	data: Array<Project>;
	next_cursor: string | null;
};

export type RawValue = {
	attribute: string;
	value: unknown;
	mime?: string;
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
	error_count: number;
	token_count_prompt: number;
	token_count_completion: number;
	token_count_total: number;
	/** US dollars; null when no span has a known cost. */
	total_cost: number | null;
	first_input: string | null;
	last_output: string | null;
};

export type SessionPage = {
	data: Array<Session>;
	next_cursor: string | null;
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
	latency_ms: number;
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
	latency_ms: number;
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
};

export type StartedSignInTry = {
	/** Where the browser goes; it comes back to Settings → Sign-in. */
	authorization_url: string;
};

export type SystemApiKey = {
	id: string;
	name: string;
	description?: string;
	created_at: string;
	expires_at?: string;
	/** To the minute. */
	last_used_at?: string;
	/** Beginning and end of the key, to tell keys apart: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
	/** Absent when the user was deleted; the key outlives them. */
	created_by?: {
		id: string;
		username: string;
	};
};

export type SystemApiKeyPage = {
	data: Array<SystemApiKey>;
	next_cursor: string | null;
};

export type TokenCounts = {
	prompt?: number;
	completion?: number;
	total?: number;
	cache_read?: number;
	cache_write?: number;
	reasoning?: number;
};

export type Trace = {
	id: string;
	/** 32 hex digits. */
	trace_id: string;
	project_id: string;
	start_time: string;
	end_time: string;
	latency_ms: number;
	token_count_prompt: number;
	token_count_completion: number;
	token_count_total: number;
	/** US dollars; null when no span has a known cost. */
	total_cost: number | null;
	span_count: number;
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
};

export type TracePage = {
	data: Array<Trace>;
	next_cursor: string | null;
};

export type TraceSpan = {
	id: string;
	/** 16 hex digits. */
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
		/** 32 hex digits. */
		trace_id: string;
		project_id: string;
		start_time: string;
		end_time: string;
		latency_ms: number;
		token_count_prompt: number;
		token_count_completion: number;
		token_count_total: number;
		/** US dollars; null when no span has a known cost. */
		total_cost: number | null;
		span_count: number;
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
		/** By start time. */
		spans: Array<NarrowSpan>;
	};
	next_cursor: string | null;
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
	/** Beginning and end of the key, to tell keys apart: `sw_u_ab12cd34_…wxyz`. */
	hint: string;
};

export type UserApiKeyPage = {
	data: Array<UserApiKey>;
	next_cursor: string | null;
};

export type UserPage = {
	data: Array<User>;
	next_cursor: string | null;
};

/** By method and path. */
export interface Operations {
	get: {
		/** The process runs */
		"/healthz": {
			response: string;
		};
		/** The database answers */
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
		/** End every session of the user and go to the log-in page */
		"/auth/logout": {
			response: undefined;
		};
		/** List where one is logged in, the latest first */
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
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
				/** Part of the name, in any case. */
				name_contains?: string;
				include_experiment_projects?: boolean;
				include_dataset_evaluator_projects?: boolean;
			};
			response: ProjectPage;
		};
		/** Fetch a project by id or name */
		"/v1/projects/{project_identifier}": {
			path: {
				project_identifier: string;
			};
			response: {
				data: Project;
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
		/** Page through the traces of a project */
		"/v1/projects/{project_identifier}/traces": {
			path: {
				project_identifier: string;
			};
			query?: {
				start_time?: string;
				end_time?: string;
				sort?: "start_time" | "latency_ms";
				order?: "asc" | "desc";
				/** 100 when absent. */
				limit?: number;
				/** `next_cursor` of the page before. */
				cursor?: string;
				include_spans?: boolean;
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
				/** Filter expressions are not supported yet; blank is no filter. */
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
				include?: Array<"semantic" | "attributes">;
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
				sort?: "id" | "start_time";
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
				/** Filter expressions are not supported yet; blank is no filter. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
				include?: Array<"semantic">;
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
				/** Filter expressions are not supported yet; blank is no filter. */
				filter?: string;
				/** LLM, CHAIN, TOOL and so on, in any case. */
				span_kind?: Array<string>;
			};
			response: OtlpSpanPage;
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
				/** Filter expressions are not supported yet; blank is no filter. */
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
				sort?: "id" | "start_time";
				order?: "asc" | "desc";
				/** Inclusive, on the start of the session. */
				start_time?: string;
				/** Exclusive, on the start of the session. */
				end_time?: string;
				user_id?: Array<string>;
				error?: boolean;
				/** All words occur in one span of the session. */
				q?: string;
				/** False leaves `traces` empty. */
				include_traces?: boolean;
				/** Filter expressions are not supported yet; blank is no filter. */
				filter?: string;
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
			};
			response: {
				data: Session;
			};
		};
		/** Fetch the user on whose behalf the request comes */
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
		/** One's own API keys, newest first; the system has none */
		"/v1/user/api_keys": {
			response: UserApiKeyPage;
		};
		/** Page through the API keys of all users, newest first */
		"/v1/users/api_keys": {
			query?: {
				/** `next_cursor` of the page before. */
				cursor?: string;
				/** 100 when absent. */
				limit?: number;
			};
			response: OwnedApiKeyPage;
		};
		/** API keys of the system, newest first */
		"/v1/system/api_keys": {
			response: SystemApiKeyPage;
		};
		/** The names of all secrets, without their values */
		"/v1/secrets": {
			response: SecretPage;
		};
		/** A secret with its value; the reading is written to the audit log */
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
				action?: Array<"login" | "login.locked" | "logout" | "logout.everywhere" | "session.end" | "session.reuse" | "password.change" | "password.reset" | "password.reset_request" | "user.create" | "user.update" | "user.delete" | "user.bind" | "user.unbind" | "sign_in.try" | "api_key.create" | "api_key.delete" | "secret.write" | "secret.delete" | "secret.view" | "access.denied" | "service.start">;
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
				/** ndjson streams all that match, one JSON object a line. */
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
		/** What a try of one's own has shown; kept for ten minutes */
		"/v1/sign_in/tries/{try_id}": {
			path: {
				try_id: string;
			};
			response: {
				data: SignInTry;
			};
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
		/** End this session */
		"/auth/logout": {
			response: undefined;
		};
		/** End every session of the user */
		"/auth/logout-all": {
			response: undefined;
		};
		/** Ask for a mail with a link to choose a new password */
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
		/** Spans as tables in pandas' table schema, one part a query */
		"/v1/spans": {
			query?: {
				project_name?: string;
				"project-name"?: string;
			};
			body: {
				queries: Array<{
					/** Column names and what they show. */
					select?: { [key: string]: {
						key: string;
					} | null } | null;
					filter?: {
						condition?: string | null;
					} | null;
					rename?: { [key: string]: string } | null;
					index?: {
						key: string;
					} | null;
					explode?: unknown;
					concat?: unknown;
				}>;
				start_time?: string | null;
				end_time?: string | null;
				/** Older name of `end_time`. */
				stop_time?: string | null;
				limit?: number | null;
				root_spans_only?: boolean | null;
				orphan_span_as_root_span?: boolean | null;
				project_name?: string | null;
			};
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
		/** Make an API key that acts for oneself, with the role one has at each moment */
		"/v1/user/api_keys": {
			body: {
				data: {
					/** 1 to 255 characters. */
					name: string;
					description?: string | null;
					/** From this moment on the key is refused; a time without an offset is UTC. Never when absent. */
					expires_at?: string | null;
				};
			};
			response: {
				data: CreatedUserApiKey;
			};
		};
		/** Make an API key of the system, which may do what a member may and outlives who made it */
		"/v1/system/api_keys": {
			body: {
				data: {
					/** 1 to 255 characters. */
					name: string;
					description?: string | null;
					/** From this moment on the key is refused; a time without an offset is UTC. Never when absent. */
					expires_at?: string | null;
				};
			};
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
				/** Has the provider ask for the password also who is logged in there. */
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
		/** Receive spans over OTLP */
		"/v1/traces": {
			body: unknown;
			response: undefined;
		};
		/** Receive GenAI events of spans over OTLP */
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
		/** Store and delete secrets, all or none; null deletes, the last of several values counts */
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
		/** Set the retention policy of a project */
		"/v1/projects/{project_identifier}/retention": {
			path: {
				project_identifier: string;
			};
			body: {
				/** Null, or the id of the default policy. */
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
	};
	delete: {
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
		/** Delete an API key of one's own, or, as an admin, of any user */
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
