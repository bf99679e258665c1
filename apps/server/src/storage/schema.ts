import type { ErrorKind } from "@spanward/error-groups";
import type { Generated } from "kysely";
import type { UserRole } from "#base/roles.ts";
import type { RepairKind } from "./trace-repairs.ts";

export type AuthMethod = "LOCAL" | "OAUTH2" | "LDAP";
/** Who sees a project or the library: every account, or those with a grant. */
export type Access = "open" | "restricted";
/** From the least to the most that one may do in a project or in the library. */
export const PROJECT_ROLES = ["viewer", "annotator", "editor", "manager"] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];
export type AnnotationTarget = "span" | "trace" | "session" | "document";
export const ANNOTATOR_KINDS = ["LLM", "CODE", "HUMAN", "AGENT", "DECISION"] as const;
export type AnnotatorKind = (typeof ANNOTATOR_KINDS)[number];

/** How a call of a tool ended. */
export const CALL_OUTCOMES = ["ok", "partial", "refused", "too_slow", "cancelled", "failed"] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export const REVIEW_TARGETS = ["span", "trace", "session", "experiment_run"] as const;
export type ReviewTarget = (typeof REVIEW_TARGETS)[number];
export const REVIEW_ORDERS = ["oldest", "newest", "random", "priority"] as const;
export type ReviewOrder = (typeof REVIEW_ORDERS)[number];

export const ERROR_GROUP_STATES = ["open", "resolved", "ignored"] as const;
export type ErrorGroupState = (typeof ERROR_GROUP_STATES)[number];
/** What happens to a group of errors; `regressed` and `unignored` by themselves. */
export const ERROR_ACTIVITIES = [
	...["resolved", "ignored", "reopened", "regressed", "unignored", "assigned", "unassigned", "merged", "unmerged"],
] as const;
export type ErrorActivity = (typeof ERROR_ACTIVITIES)[number];

/** The lists of a project that have saved views. */
export const VIEW_PAGES = ["traces", "spans", "sessions", "users", "errors"] as const;
export type ViewPage = (typeof VIEW_PAGES)[number];

/**
 * Rows of the metadata tables, for Kysely. The trace tables are not here: their SQL is written by hand. Times are
 * microseconds since 1970, flags 0 or 1. The migrations that create the columns explain them.
 */
export interface Tables {
	projects: {
		id: Generated<number>;
		name: string;
		description: string | null;
		/**
		 * The service names projects of experiments, and as `evaluators` those of `project_homes`; null where people or
		 * applications chose the name.
		 */
		origin: Generated<"experiment" | "evaluators" | null>;
		access: Generated<Access>;
		retention_policy_id: Generated<number | null>;
		created_at: number;
		updated_at: number;
	};
	project_homes: {
		project_id: number;
		made_for: "playground" | "evaluators";
		home_id: number | null;
	};
	users: {
		id: Generated<number>;
		username: string;
		username_key: string;
		email: string | null;
		role: UserRole;
		auth_method: AuthMethod;
		/** PHC string: salt, parameters and hash. */
		password_hash: string | null;
		/** The user has to set a new password before doing anything else. */
		password_due: 0 | 1;
		/** 0 while the password is the random one of an account from the admin list, 1 once a person chose it. */
		password_replaced: 0 | 1;
		oauth2_provider: string | null;
		oauth2_issuer: string | null;
		oauth2_client_id: string | null;
		oauth2_user_id: string | null;
		ldap_unique_id: string | null;
		profile_picture_url: string | null;
		created_at: number;
		updated_at: number;
		last_login_at: number | null;
	};
	login_sessions: {
		id: Generated<number>;
		sid: string;
		user_id: number;
		created_at: number;
		last_used_at: number;
		/** The absolute end, which refreshing does not extend. */
		expires_at: number;
		access_jti: string;
		access_expires_at: number;
		refresh_jti: string;
		refresh_expires_at: number;
		/** When the current pair of tokens was issued. */
		issued_at: number;
		previous_refresh_jti: string | null;
		rotated_at: number | null;
		pair_presented: 0 | 1;
		/** When the allowance of refreshes will be full again. */
		refresh_full_at: number;
		ip: string;
		user_agent: string;
	};
	api_keys: {
		id: Generated<number>;
		kind: "user" | "system";
		/** The owner; the system user for system keys. */
		user_id: number;
		created_by: number | null;
		/** With `i_` before it where the key itself begins with `sw_i_`. */
		public_id: string;
		/** SHA-256 */
		secret_hash: Uint8Array;
		last_characters: string;
		name: string;
		description: string | null;
		created_at: number;
		/** Milliseconds since 1970: in microseconds the year 9999 exceeds the safe integers. */
		expires_at_ms: number | null;
		last_used_at: number | null;
		/** JSON list; null for all that the owner may. */
		permissions: Generated<string | null>;
		/** Whether the key reaches only its rows of `api_key_projects`, and the library where `include_library` is 1. */
		has_homes: Generated<0 | 1>;
		include_library: Generated<0 | 1>;
		/** JSON list */
		ip_ranges: Generated<string | null>;
		/** JSON list */
		allowed_origins: Generated<string | null>;
		requests_per_minute: Generated<number | null>;
		spans_per_day: Generated<number | null>;
		/** The key in whose place a rotation put this one. */
		replaces: Generated<number | null>;
		last_used_ip: Generated<string | null>;
		last_refused_at: Generated<number | null>;
		last_refused_code: Generated<string | null>;
		/** When the owner was told by mail that it expires soon. */
		expiry_mailed_at: Generated<number | null>;
	};
	api_key_projects: {
		key_id: number;
		project_id: number;
	};
	api_key_days: {
		key_id: number;
		/** Days since 1970, UTC. */
		day: number;
		spans: number;
	};
	/** See SQLite's migration 27; `user_hash` is of `hashOf` in `traces/totals/spend-changes.ts`. */
	spend: {
		project_id: number;
		/** Counted since 1970. */
		quarter: number;
		user_hash: Uint8Array;
		/** 0 without one. */
		api_key_id: number;
		slot: number;
		user_id: string | null;
		tokens: number;
		cost_micro: number;
		cost_pico: number;
		gone_tokens: number;
		gone_micro: number;
		gone_pico: number;
	};
	/** Deleted projects, in which something may have been spent. */
	spend_projects: {
		id: number;
		name: string;
		origin: "experiment" | "evaluators" | null;
		deleted_at: number;
	};
	/** Deleted keys, with which something may have been spent. */
	spend_api_keys: {
		id: number;
		kind: "user" | "system";
		name: string;
		last_characters: string;
		deleted_at: number;
	};
	/** What became of exports. */
	ingest_minutes: {
		/** Of the answer, counted since 1970. */
		minute: number;
		/** Which server answered. */
		server: string;
		/** Why spans were rejected or a request was refused; empty for what was taken. */
		reason: string;
		accepted_spans: number;
		duplicate_spans: number;
		rejected_spans: number;
		refused_requests: number;
	};
	/** Calls of agents over MCP, the newest ones. */
	agent_calls: {
		id: Generated<number>;
		time: number;
		/** Null while authentication is off. */
		user_id: number | null;
		tool: string;
		/** As the program calls itself. */
		client_name: string | null;
		client_version: string | null;
		outcome: CallOutcome;
		duration_ms: number;
	};
	model_connections: {
		id: Generated<number>;
		name: string;
		kind: "openai" | "openai_compatible" | "azure_openai" | "anthropic" | "google" | "google_vertex" | "aws_bedrock";
		origin: "api" | "settings";
		base_url: string | null;
		api: "responses" | "chat_completions" | null;
		settings: string;
		models: string | null;
		default_model: string | null;
		is_enabled: 0 | 1;
		is_confirmed: 0 | 1;
		use_by: "members" | "admins";
		rules_by: "members" | "admins";
		max_concurrency: number;
		requests_per_minute: number | null;
		tokens_per_minute: number | null;
		monthly_budget_nanos: number | null;
		timeout_seconds: number;
		failing_code: string | null;
		failing_reason: string | null;
		failing_since: number | null;
		failing_tried_at: number | null;
		revision: number;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	model_credentials: {
		connection_id: number;
		field: string;
		secret_key: string | null;
		key_id: string | null;
		nonce: Uint8Array | null;
		ciphertext: Uint8Array | null;
		updated_at: number;
	};
	model_calls: {
		id: Generated<number>;
		connection_id: number;
		purpose: string;
		model: string;
		is_interactive: 0 | 1;
		scopes: string;
		reserved_nanos: number;
		reserved_tokens: number;
		started_at: number;
		expires_at: number;
	};
	money_spent: {
		scope: string;
		spent_nanos: number;
		reserved_nanos: number;
	};
	model_rates: {
		connection_id: number;
		second: number;
		requests: number;
		tokens: number;
	};
	model_holds: {
		connection_id: number;
		model: string;
		held_until: number;
		concurrency: number | null;
	};
	model_lessons: {
		connection_id: number;
		model: string;
		lesson: string;
		learned_at: number;
	};
	model_measures: {
		connection_id: number;
		model: string;
		calls: number;
		input_bytes: number;
		input_tokens: number;
		output_tokens: number;
		/** From sending to the end of the answer. */
		seconds: number;
	};
	model_usage: {
		connection_id: number;
		month: number;
		purpose: string;
		model: string;
		outcome: string;
		calls: number;
		input_tokens: number;
		output_tokens: number;
		cost_nanos: number;
	};
	evaluators: {
		id: Generated<number>;
		name: string;
		description: string | null;
		archived_at: number | null;
		revision: number;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	evaluator_versions: {
		id: Generated<number>;
		evaluator_id: number;
		number: number;
		kind: "LLM" | "CODE" | "BUILT_IN";
		definition: string;
		template: string | null;
		user_id: number | null;
		created_at: number;
	};
	dataset_evaluators: {
		dataset_id: number;
		evaluator_id: number;
		version_id: number | null;
		mapping: string | null;
		run_automatically: 0 | 1;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	experiment_jobs: {
		id: Generated<number>;
		kind: "run" | "evaluate";
		name: string;
		dataset_id: number | null;
		dataset_version_id: number | null;
		state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
		reason: string | null;
		error: string | null;
		definition: string;
		max_cost_nanos: number | null;
		total_runs: number;
		revision: number;
		principal: string;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	experiment_job_experiments: {
		job_id: number;
		experiment_id: number;
		position: number;
	};
	experiment_job_tasks: {
		id: Generated<number>;
		job_id: number;
		experiment_id: number;
		kind: "run" | "evaluation";
		example_id: number;
		repetition_number: number;
		run_id: number | null;
		evaluator: number | null;
		state: "ready" | "running" | "done" | "failed" | "skipped";
		/** Times that it was begun. */
		attempts: number;
		ended_at: number | null;
		holder: string | null;
		held_until: number | null;
		error_code: string | null;
		error: string | null;
	};
	oauth2_clients: {
		id: Generated<number>;
		/** `client_id` of the protocol. */
		public_id: string;
		kind: "seeded" | "registered" | "admin" | "metadata";
		name: string;
		/** JSON list */
		redirect_uris: string;
		device_flow: 0 | 1;
		disabled: 0 | 1;
		created_at: number;
		created_by: number | null;
		last_used_at: number | null;
	};
	oauth2_grants: {
		id: Generated<number>;
		user_id: number;
		client_id: number;
		/** JSON list, with `admin` for administration; null for all else that the user may. */
		permissions: string | null;
		/** Whether it reaches only its rows of `oauth2_grant_projects`, and the library where `include_library` is 1. */
		has_homes: 0 | 1;
		include_library: 0 | 1;
		scope_stated: 0 | 1;
		resource: "api" | "mcp";
		/** Of what all refresh tokens of the grant share. */
		refresh_family_hash: Uint8Array;
		/** Of the one refresh token that is not spent. */
		refresh_hash: Uint8Array;
		refreshed_at: number;
		created_at: number;
		expires_at: number;
		last_used_at: number | null;
		last_used_ip: string | null;
	};
	oauth2_grant_projects: {
		grant_id: number;
		project_id: number;
	};
	oauth2_access_tokens: {
		id: Generated<number>;
		hash: Uint8Array;
		grant_id: number;
		expires_at: number;
	};
	oauth2_codes: {
		id: Generated<number>;
		hash: Uint8Array;
		client_id: number;
		user_id: number;
		redirect_uri: string;
		code_challenge: string;
		/** JSON: what the user let the client do. */
		approved: string;
		created_at: number;
		expires_at: number;
		used_at: number | null;
		grant_id: number | null;
	};
	oauth2_device_codes: {
		id: Generated<number>;
		hash: Uint8Array;
		user_code_hash: Uint8Array;
		client_id: number;
		/** Who decided. */
		user_id: number | null;
		state: "pending" | "approved" | "denied";
		/** As asked for. */
		scope: string | null;
		resource: "api" | "mcp";
		/** JSON: what the user let the client do. */
		approved: string | null;
		interval_seconds: number;
		polled_at: number | null;
		ip: string;
		user_agent: string;
		created_at: number;
		expires_at: number;
	};
	/** One row, or none before anything was set. */
	access_policy: {
		id: 1;
		/** Grows with everything that decides rights. */
		version: number;
		library_access: Access;
		default_project_access: Access | null;
		open_role_of_members: Exclude<ProjectRole, "manager"> | null;
		members_create_projects: 0 | 1 | null;
		max_key_days: number | null;
	};
	teams: {
		id: Generated<number>;
		name: string;
		/** The folded name (NFKC, lower case). */
		name_key: string;
		description: string | null;
		source: "manual" | "scim";
		/** JSON list */
		external_groups: string;
		created_at: number;
		updated_at: number;
	};
	team_members: {
		team_id: number;
		user_id: number;
		/** Who says so: `manual`, `scim`, `ldap`, `oauth2:<provider>`. */
		source: string;
		created_at: number;
	};
	grants: {
		id: Generated<number>;
		/** Null for the library. */
		project_id: number | null;
		user_id: number | null;
		team_id: number | null;
		role: ProjectRole;
		created_at: number;
		created_by: number | null;
	};
	access_rules: {
		id: Generated<number>;
		/** `*` stands for any characters, the rest for itself. */
		pattern: string;
		access_of_new: Access | null;
		description: string | null;
		created_at: number;
		updated_at: number;
	};
	access_rule_grants: {
		id: Generated<number>;
		rule_id: number;
		user_id: number | null;
		team_id: number | null;
		role: ProjectRole;
	};
	password_resets: {
		user_id: number;
		/** Token id of the only valid link; null once it was used. */
		jti: string | null;
		/** The hash when the link was made: a later change of the password makes the link invalid. */
		password_hash: string;
		expires_at: number;
		last_mail_at: number;
		/** Mails sent, counted anew after an hour without one. */
		mails: number;
	};
	login_attempts: {
		account: Uint8Array;
		failures: number;
		pending: number;
		pending_since: number | null;
		last_failure_at: number | null;
	};
	spent_sign_ins: {
		/** Id of a transaction with a provider that has been completed. */
		id: string;
		expires_at: number;
	};
	sign_in_tries: {
		id: string;
		/** The admin who tried, the only one who may read it. */
		user_id: number;
		/** JSON */
		report: string;
		expires_at: number;
	};
	secrets: {
		key: string;
		key_id: string;
		nonce: Uint8Array;
		ciphertext: Uint8Array;
		created_at: number;
		updated_at: number;
		updated_by: number | null;
	};
	audit_events: {
		id: Generated<number>;
		time: number;
		action: string;
		outcome: "success" | "failure" | "denied";
		code: string | null;
		actor_kind: string;
		actor_id: number | null;
		actor_name: string | null;
		target_type: string | null;
		/** Row number in the table of `target_type`. */
		target_id: number | null;
		target_name: string | null;
		ip: string | null;
		user_agent: string | null;
		request_id: string | null;
		/** JSON */
		details: string | null;
	};
	annotations: {
		id: Generated<number>;
		target: AnnotationTarget;
		target_row_id: number;
		document_position: Generated<number>;
		project_id: number;
		span_row_id: number | null;
		trace_row_id: number | null;
		session_row_id: number | null;
		name: string;
		identifier: string;
		annotator_kind: AnnotatorKind;
		label: string | null;
		score: number | null;
		explanation: string | null;
		metadata: string;
		source: "API" | "APP";
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	waiting_annotations: {
		id: Generated<number>;
		target: AnnotationTarget;
		target_id: string;
		document_position: Generated<number>;
		project_id: number;
		name: string;
		identifier: string;
		annotator_kind: AnnotatorKind;
		label: string | null;
		score: number | null;
		explanation: string | null;
		metadata: string;
		source: "API" | "APP";
		user_id: number | null;
		reason: string | null;
		created_at: number;
		/** The id as it was sent, where `target_id` is one stored in its place. */
		sent_target_id: string | null;
		/** The limited key that wrote it: its right has to last until the target arrives. */
		api_key_id: Generated<number | null>;
		/** The same of a program that a user let in. */
		oauth2_grant_id: Generated<number | null>;
	};
	sent_ids: {
		trace_id: Uint8Array;
		/** Id of the trace itself, or of a span. */
		id: Uint8Array;
		text: string;
		created_at: number;
	};
	annotation_configs: {
		id: Generated<number>;
		name: string;
		definition: string;
		created_at: number;
		updated_at: number;
	};
	project_annotation_configs: {
		project_id: number;
		config_id: number;
	};
	datasets: {
		id: Generated<number>;
		name: string;
		description: string | null;
		metadata: string;
		state: Generated<"uploading" | "ready" | "deleting">;
		/** Where it lives; null for the library. */
		project_id: Generated<number | null>;
		created_at: number;
		updated_at: number;
		/** Gets the traces of what evaluates its experiments; null before there were any. */
		evaluators_project_id: Generated<number | null>;
	};
	dataset_versions: {
		id: Generated<number>;
		dataset_id: number;
		description: string | null;
		metadata: string;
		created_examples: number;
		updated_examples: number;
		deleted_examples: number;
		/** Number of examples in the version. */
		example_count: number;
		user_id: number | null;
		created_at: number;
	};
	dataset_uploads: {
		version_id: number;
		dataset_id: number;
		started_at: number;
	};
	dataset_examples: {
		id: Generated<number>;
		dataset_id: number;
		external_id: string | null;
		span_row_id: number | null;
		trace_id: string | null;
		span_id: string | null;
		created_at: number;
	};
	dataset_example_revisions: {
		id: Generated<number>;
		dataset_id: number;
		example_id: number;
		from_version: number;
		to_version: number | null;
		input: string;
		output: string;
		metadata: string;
		content_hash: Uint8Array;
		created_at: number;
	};
	dataset_splits: {
		id: Generated<number>;
		dataset_id: number;
		name: string;
		description: string | null;
		color: string;
		metadata: string;
		created_at: number;
		updated_at: number;
		deleted_at: number | null;
	};
	dataset_split_examples: {
		split_id: number;
		example_id: number;
		from_version: number;
		to_version: number | null;
	};
	dataset_labels: {
		id: Generated<number>;
		name: string;
		description: string | null;
		color: string;
		updated_at: number;
	};
	labels_of_datasets: {
		dataset_id: number;
		label_id: number;
	};
	experiments: {
		id: Generated<number>;
		dataset_id: number;
		dataset_version_id: number;
		name: string;
		description: string | null;
		/** JSON list of row numbers; null for all examples of the version. */
		split_ids: string | null;
		example_count: number;
		repetitions: number;
		metadata: string;
		/** What the server ran, as JSON; null for experiments that clients run. */
		task: Generated<string | null>;
		project_id: number | null;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	experiment_runs: {
		id: Generated<number>;
		experiment_id: number;
		example_id: number;
		repetition_number: number;
		output: string;
		error: string | null;
		trace_id: string | null;
		start_micros: number;
		end_micros: number;
		user_id: number | null;
	};
	experiment_evaluations: {
		id: Generated<number>;
		run_id: number;
		experiment_id: number;
		example_id: number;
		name: string;
		annotator_kind: AnnotatorKind;
		label: string | null;
		score: number | null;
		explanation: string | null;
		error: string | null;
		metadata: string;
		trace_id: string | null;
		start_micros: number;
		end_micros: number;
	};
	/** What became of the answers about runs in review queues. */
	experiment_run_reviews: {
		id: Generated<number>;
		run_id: number;
		/** `review:<queue>:<reviewer>`, of a decision `review:<queue>`. */
		identifier: string;
		name: string;
		label: string | null;
		score: number | null;
		explanation: string | null;
		source: "API" | "APP";
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	experiment_tags: {
		id: Generated<number>;
		dataset_id: number;
		experiment_id: number;
		name: string;
		description: string | null;
	};
	prompts: {
		id: Generated<number>;
		name: string;
		description: string | null;
		source_prompt_id: number | null;
		/** Where it lives; null for the library. */
		project_id: Generated<number | null>;
		metadata: string;
		created_at: number;
		updated_at: number;
	};
	prompt_versions: {
		id: Generated<number>;
		prompt_id: number;
		description: string | null;
		metadata: string;
		model_provider: string;
		model_name: string;
		definition: string;
		user_id: number | null;
		created_at: number;
	};
	prompt_version_tags: {
		id: Generated<number>;
		prompt_id: number;
		version_id: number;
		name: string;
		description: string | null;
	};
	retention_policies: {
		id: Generated<number>;
		name: string;
		cron: string;
		max_days: number | null;
		max_traces: number | null;
		keep_annotated: 0 | 1;
		/** When its times were last heeded. */
		last_run_at: Generated<number | null>;
		created_at: number;
		updated_at: number;
	};
	retention_runs: {
		id: Generated<number>;
		policy_id: number;
		project_id: number;
		project_name: string;
		started_at: number;
		ended_at: Generated<number | null>;
		deleted_traces: number;
		/** Expired traces that were kept because they are annotated. */
		kept_traces: number;
		error: Generated<string | null>;
	};
	model_prices: {
		id: Generated<number>;
		name: string;
		match: "exact" | "prefix" | "suffix" | "contains" | "regex";
		/** In lower case, except for regular expressions. */
		pattern: string;
		provider: string | null;
		starts_at: number | null;
		prices: string;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	cost_recomputations: {
		id: Generated<number>;
		project_id: number;
		start_micros: number | null;
		end_micros: number | null;
		state: "waiting" | "running" | "done" | "failed" | "cancelled";
		after_span: number;
		last_span: number;
		total_spans: number;
		seen_spans: number;
		changed_spans: number;
		error: string | null;
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	/** Traces whose failures are to be found. */
	error_backlog: {
		trace_row_id: number;
		/** When the first span came that makes it wait. */
		first_at: number;
		/** When the last span came. */
		last_at: number;
		/** Random; another one with each batch of spans. */
		generation: number;
	};
	error_groups: {
		id: Generated<number>;
		project_id: number;
		/** The row of `error_group_fingerprints` by which it is called. */
		fingerprint: string;
		state: Generated<ErrorGroupState>;
		/** When it was opened again by itself after it had been resolved; null before, and once a person changed the state. */
		regressed_at: Generated<number | null>;
		/** Occurrences of spans that started later reopen it. */
		resolved_at: Generated<number | null>;
		resolved_in_release: Generated<string | null>;
		ignored_at: Generated<number | null>;
		/** Open again at this time. */
		ignore_until: Generated<number | null>;
		/** Open again after so many more occurrences than `ignored_total`. */
		ignore_occurrences: Generated<number | null>;
		/** Open again after occurrences above the row number `ignored_after` of so many users. */
		ignore_users: Generated<number | null>;
		ignored_total: Generated<number | null>;
		ignored_after: Generated<number | null>;
		assignee_id: Generated<number | null>;
		/** Of all its fingerprints, with what was deleted since. */
		total_count: number;
		first_seen: number;
		last_seen: number;
		first_release: string | null;
		last_release: string | null;
		/** Counted up with each change of state or assignee. */
		revision: Generated<number>;
		created_at: number;
		/** Of the last change of state or assignee. */
		updated_at: number;
	};
	/** Every fingerprint of a project is in one group. */
	error_group_fingerprints: {
		project_id: number;
		/** 32 hex digits. */
		fingerprint: string;
		group_id: number;
		/** Of the rules that made the fingerprint. */
		version: number;
		kind: ErrorKind;
		/** Of the exception. */
		type: string | null;
		title: string;
		message: string;
		/** JSON: `Culprit` of `@spanward/error-groups`. */
		culprit: string;
		/** JSON: `Grouping` of `@spanward/error-groups`. */
		grouping: string;
		total_count: number;
		first_seen: number;
		last_seen: number;
		first_release: string | null;
		last_release: string | null;
	};
	/** Spans that failed by themselves. */
	error_occurrences: {
		id: Generated<number>;
		project_id: number;
		group_id: number;
		trace_row_id: number;
		span_row_id: number;
		/** 16 bytes. */
		trace_id: Uint8Array;
		/** 8 bytes. */
		span_id: Uint8Array;
		start_micros: number;
		fingerprint: string;
		version: number;
		kind: ErrorKind;
		/** At most 2,000 characters. */
		message: string;
		tool: string | null;
		/** As the following, of the span, else of its trace. */
		user_id: string | null;
		session_id: string | null;
		release: string | null;
		environment: string | null;
		model: string | null;
	};
	error_comments: {
		id: Generated<number>;
		group_id: number;
		/** Null while authentication was off, for keys without a user, and after the user was deleted. */
		user_id: number | null;
		text: string;
		created_at: number;
		updated_at: number;
	};
	error_activity: {
		id: Generated<number>;
		group_id: number;
		time: number;
		/** As in `audit_events`; `service` for what happened by itself. */
		actor_kind: string;
		user_id: number | null;
		action: ErrorActivity;
		/** JSON */
		details: string;
	};
	/** Releases about which somebody asked when they were first seen. */
	error_releases: {
		project_id: number;
		release: string;
		first_seen: number;
	};
	/** What a project sets; no row for the defaults. */
	error_settings: {
		project_id: number;
		/** An attribute of spans or resources with the release; null for the usual ones. */
		release_key: Generated<string | null>;
		/** JSON list of parts of paths and beginnings of modules. */
		own_code: Generated<string>;
		/** JSON list of the kinds to collect; null for all. */
		kinds: Generated<string | null>;
		revision: Generated<number>;
		updated_at: number;
	};
	/** Actions on many spans, traces or sessions, carried out in the background. */
	bulk_runs: {
		id: Generated<number>;
		project_id: number;
		action: "delete" | "move" | "annotate" | "add_to_dataset" | "add_to_review_queue";
		kind: "span" | "trace" | "session";
		/** JSON: what is selected, as it stood at the start. */
		selection: string;
		/** JSON: what the action needs. */
		parameters: string;
		state: "waiting" | "running" | "done" | "failed" | "cancelled";
		/** Counted up whenever the row advances, so that a process that lost its lease changes nothing. */
		revision: number;
		/** JSON: the last item that has been dealt with, or counted while `total_items` is null. */
		position: string | null;
		/** JSON: the items that are being dealt with. After a crash, the same ones are dealt with again. */
		step: string | null;
		counted_items: number;
		/** Null until all have been counted. */
		total_items: number | null;
		done_items: number;
		failed_items: number;
		/** JSON: the first failures. */
		failures: string;
		error: string | null;
		/** Who started it; null while authentication was off, and after the user was deleted. */
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	/** Repairs of traces, carried out in the background. */
	repair_runs: {
		id: Generated<number>;
		kind: RepairKind;
		/** Row number of a project, which may be gone. */
		project_id: number | null;
		start_micros: number | null;
		end_micros: number | null;
		dry_run: 0 | 1;
		status: "queued" | "running" | "completed" | "failed" | "cancelled";
		/** Counted up whenever the row advances, so that a process that lost its lease changes nothing. */
		revision: number;
		/** JSON: the step that was completed last, and what had been counted then. */
		position: string | null;
		looked_at: number;
		found: number;
		repaired: number;
		error: string | null;
		/** Who started it; null for the admin secret, while authentication was off, and after the user was deleted. */
		user_id: number | null;
		created_at: number;
		finished_at: number | null;
	};
	/** What lists show, under names. */
	saved_views: {
		id: Generated<number>;
		name: string;
		page: ViewPage;
		/** Null for the lists of every project. */
		project_id: number | null;
		/** JSON: `ViewState`. */
		state: string;
		/** Who made it; null for the system, while authentication was off, and after the user was deleted. */
		owner_id: number | null;
		/** The only user who sees it, who is its owner; null for shared views. */
		private_to: number | null;
		created_at: number;
		updated_at: number;
	};
	/** The shared views that lists of a project open with. */
	default_views: {
		project_id: number;
		page: ViewPage;
		view_id: number;
	};
	dashboards: {
		id: Generated<number>;
		/** Null for one across projects. */
		project_id: number | null;
		name: string;
		description: string | null;
		visibility: "shared" | "private";
		/** JSON: the range, filter, controls and widgets. */
		definition: string;
		widget_count: number;
		/** Null for shared ones that were made while authentication was off, or by an account that was deleted. */
		owner_id: number | null;
		updated_by: number | null;
		created_at: number;
		updated_at: number;
	};
	review_queues: {
		id: Generated<number>;
		name: string;
		description: string | null;
		guidance: string | null;
		target: ReviewTarget;
		/** JSON: `Question[]`, annotation configs as they were when the queue got them. */
		questions: string;
		reviews_required: number;
		/** JSON list of row numbers of users; null for everybody who may annotate. */
		reviewers: string | null;
		/** JSON list of row numbers of users. */
		adjudicators: string;
		blind: 0 | 1;
		/** Of a blind queue: annotations by models and code are not given with an item. */
		hide_model_annotations: Generated<0 | 1>;
		item_order: ReviewOrder;
		seed: number;
		lease_minutes: number;
		due_at: number | null;
		archived_at: number | null;
		/** Null for the system, while authentication was off, and after the user was deleted. */
		created_by: number | null;
		created_at: number;
		updated_at: number;
	};
	review_items: {
		id: Generated<number>;
		queue_id: number;
		/** Of a run of an experiment that of the dataset, null for the library. */
		project_id: number | null;
		target_row_id: number;
		/** Null for sessions and runs of experiments. */
		trace_row_id: number | null;
		/** As it was sent. */
		target_id: string;
		priority: number;
		/** By the seed of the queue. */
		random_rank: number;
		/** Open until its turns are done. */
		state: Generated<"open" | "disagreement" | "done" | "removed">;
		/** JSON: the answers of an adjudicator. */
		decision: string | null;
		/** As `reviewer` of a turn. */
		decided_by: number | null;
		decided_at: number | null;
		/** Whether its answers are annotations. */
		is_published: Generated<0 | 1>;
		created_at: number;
		updated_at: number;
	};
	review_turns: {
		id: Generated<number>;
		queue_id: number;
		item_id: number;
		/** Row number of a user, who may be gone; 0 while authentication is off. */
		reviewer: number;
		status: "reserved" | "done" | "skipped";
		reserved_until: number;
		/** JSON. */
		draft: string | null;
		/** JSON. */
		answers: string | null;
		source: "API" | "APP" | null;
		/** Why it was skipped. */
		reason: string | null;
		/** How long the page was visible; null where nobody said it. */
		seconds: Generated<number | null>;
		started_at: number;
		finished_at: number | null;
	};
	/** Answers that were changed later. */
	review_revisions: {
		id: Generated<number>;
		turn_id: number;
		answers: string;
		finished_at: number;
	};
	/** What goes on filling a queue. */
	review_rules: {
		queue_id: number;
		project_id: number;
		filter: string;
		/** 0 to 1. */
		sample: number;
		daily_limit: number | null;
		enabled: 0 | 1;
		/** Why it was switched off. */
		error: string | null;
		/** With whose rights; null while authentication was off, and after the user was deleted. */
		user_id: number | null;
		/** JSON: the limited key, or the grant of the program, that it ends with. */
		acts_as: string;
		/** Up to this row number it is decided; null to begin with what arrives next. */
		decided_row: number | null;
		/** The highest row number at `seen_at`. */
		seen_row: number | null;
		seen_at: number | null;
		/** Days since 1970. */
		day: number;
		/** Items that were added on that day. */
		day_items: number;
		total_items: number;
		/** Counted up whenever the row changes, so that a process that lost its lease changes nothing. */
		revision: number;
		created_at: number;
		updated_at: number;
	};
	/** What people are mailed about queues that name them. */
	review_mails: {
		queue_id: number;
		user_id: number;
		/** What they have still to be told that they were added as. */
		added_as: "reviewer" | "adjudicator" | "both" | null;
		/** The due date that they have been told. */
		due_for: number | null;
		/** Day of the last mail, counted from 1970. */
		mailed_on: number | null;
		/** How often the mail of now could not be sent. */
		tries: number;
		next_try_at: number;
	};
	/** Gold answers of review queues that become versions of datasets, in the background. */
	review_gold_runs: {
		id: Generated<number>;
		/** Null after the queue was deleted. */
		queue_id: number | null;
		/** Null after the dataset was deleted, also one that the run was to make. */
		dataset_id: number | null;
		/** Nobody sees it, and `dataset_uploads` has it, until the run is done. */
		version_id: number;
		/** JSON: what the run makes of gold, and with whose rights. */
		parameters: string;
		state: "waiting" | "running" | "done" | "failed" | "cancelled";
		/** Counted up whenever the row advances, so that a process that lost its lease changes nothing. */
		revision: number;
		/** Row number of the last item that was looked at. */
		position: number;
		total_items: number;
		done_items: number;
		created_examples: number;
		updated_examples: number;
		unchanged_examples: number;
		left_out_items: number;
		/** JSON: the first items that were left out, and why. */
		left_out: string;
		error: string | null;
		/** Who started it; null while authentication was off, and after the user was deleted. */
		user_id: number | null;
		created_at: number;
		updated_at: number;
	};
	idempotency_keys: {
		caller: string;
		key: string;
		request_hash: Uint8Array;
		status: number | null;
		content_type: string | null;
		body: string | null;
		/** JSON: homes that the request was about, with the roles that it needed there. */
		entered: Generated<string | null>;
		created_at: number;
	};
	state: {
		name: string;
		value: string;
	};
}
