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

/**
 * Rows of the metadata tables, for Kysely. The trace tables are not here: their SQL is written by hand. Times are
 * microseconds since 1970, flags 0 or 1. The migrations that create the columns explain them.
 */
export interface Tables {
	projects: {
		id: Generated<number>;
		name: string;
		description: string | null;
		/** The service names projects of experiments; null where people or applications chose the name. */
		origin: Generated<"experiment" | "evaluators" | null>;
		access: Generated<Access>;
		retention_policy_id: Generated<number | null>;
		created_at: number;
		updated_at: number;
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
	/** Actions on many spans, traces or sessions, carried out in the background. */
	bulk_runs: {
		id: Generated<number>;
		project_id: number;
		action: "delete" | "move" | "annotate" | "add_to_dataset";
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
