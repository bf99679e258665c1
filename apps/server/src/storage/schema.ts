import type { Generated } from "kysely";

export type UserRole = "SYSTEM" | "ADMIN" | "MEMBER" | "VIEWER";
export type AuthMethod = "LOCAL" | "OAUTH2" | "LDAP";

/**
 * Rows of the metadata tables, as Kysely sees them. The trace tables are written by hand-made statements. Times are
 * microseconds since 1970, flags 0 or 1; what the columns mean is said where they are created.
 */
export interface Tables {
	projects: {
		id: Generated<number>;
		name: string;
		description: string | null;
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
		/** A new password has to be set before anything else. */
		password_due: 0 | 1;
		/** A person chose the password: 0 while it is the random one of an admin-list account. */
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
		/** Absolute end, whatever is refreshed. */
		expires_at: number;
		access_jti: string;
		access_expires_at: number;
		refresh_jti: string;
		refresh_expires_at: number;
		/** Of the live pair. */
		issued_at: number;
		previous_refresh_jti: string | null;
		rotated_at: number | null;
		pair_presented: 0 | 1;
		/** When the allowance of refreshes is full again. */
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
		public_id: string;
		/** SHA-256 */
		secret_hash: Uint8Array;
		last_characters: string;
		name: string;
		description: string | null;
		created_at: number;
		/** Milliseconds since 1970: in microseconds the year 9999 is no safe integer. */
		expires_at_ms: number | null;
		last_used_at: number | null;
	};
	password_resets: {
		user_id: number;
		/** Of the one link that is valid; null when it was used. */
		jti: string | null;
		/** The hash that the link was made to replace: once the password is another, the link is dead. */
		password_hash: string;
		expires_at: number;
		last_mail_at: number;
		/** Since the last hour without one. */
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
		/** Of a transaction with a provider that has come back. */
		id: string;
		expires_at: number;
	};
	sign_in_tries: {
		id: string;
		/** Who tried, and may read it. */
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
	state: {
		name: string;
		value: string;
	};
}
