import type { DatabaseSync } from "node:sqlite";

/**
 * Users, their log-in sessions and keys, protection of sign-in, secrets and the audit log. Times are microseconds since
 * 1970, except `expires_at_ms`, which may be in the year 9999; row numbers are never reused.
 *
 * The checks of `users` enforce that an account signs in by one method: a local one has a password and no external
 * identity, others the reverse; only LDAP accounts with a unique id may lack an email. `email` is canonical (trimmed,
 * lower case, NFC); `username_key` is the folded name (NFKC, lower case), so that no two names look alike.
 *
 * A row of `login_sessions` is a family of tokens. Only the pair named in it is valid: any other refresh token of the
 * family has been used. For some seconds after `rotated_at`, until `pair_presented`, `previous_refresh_jti` may still
 * fetch that pair. `expires_at` is the absolute end, also of the pair; at `refresh_full_at` the allowance of refreshes
 * is full again.
 *
 * `login_attempts` counts attempts by account, existing or not, under a keyed hash of the typed name. An attempt is
 * `pending` before its password is checked, so that parallel guesses cannot exceed the limit.
 *
 * `state` holds single values of the installation, such as the check value of the key that encrypts secrets.
 */
export function createAccessControl(db: DatabaseSync): void {
	db.exec(`
		create table users (
			id integer primary key autoincrement,
			username text not null,
			username_key text not null unique,
			email text unique,
			role text not null check (role in ('SYSTEM', 'ADMIN', 'MEMBER', 'VIEWER')),
			auth_method text not null check (auth_method in ('LOCAL', 'OAUTH2', 'LDAP')),
			password_hash text,
			password_due integer not null check (password_due in (0, 1)),
			password_replaced integer not null check (password_replaced in (0, 1)),
			oauth2_provider text,
			oauth2_issuer text,
			oauth2_client_id text,
			oauth2_user_id text,
			ldap_unique_id text unique,
			profile_picture_url text,
			created_at integer not null,
			updated_at integer not null,
			last_login_at integer,
			unique (oauth2_issuer, oauth2_user_id),
			check (auth_method <> 'LOCAL' or password_hash is not null),
			check (auth_method = 'LOCAL' or password_hash is null),
			check (
				auth_method = 'OAUTH2'
				or coalesce(oauth2_provider, oauth2_issuer, oauth2_client_id, oauth2_user_id) is null
			),
			check (auth_method = 'LDAP' or ldap_unique_id is null),
			check (email is not null or (auth_method = 'LDAP' and ldap_unique_id is not null))
		) strict;

		create table login_sessions (
			id integer primary key autoincrement,
			sid text not null unique,
			user_id integer not null references users (id) on delete cascade,
			created_at integer not null,
			last_used_at integer not null,
			expires_at integer not null,
			access_jti text not null,
			access_expires_at integer not null,
			refresh_jti text not null,
			refresh_expires_at integer not null,
			issued_at integer not null,
			previous_refresh_jti text,
			rotated_at integer,
			pair_presented integer not null check (pair_presented in (0, 1)),
			refresh_full_at integer not null,
			ip text not null,
			user_agent text not null
		) strict;
		create index login_sessions_by_user on login_sessions (user_id);
		create index login_sessions_by_end on login_sessions (refresh_expires_at);

		create table api_keys (
			id integer primary key autoincrement,
			kind text not null check (kind in ('user', 'system')),
			user_id integer not null references users (id) on delete cascade,
			created_by integer references users (id) on delete set null,
			public_id text not null unique,
			secret_hash blob not null,
			last_characters text not null,
			name text not null,
			description text,
			created_at integer not null,
			expires_at_ms integer,
			last_used_at integer
		) strict;
		create index api_keys_by_user on api_keys (user_id);
		create index api_keys_by_creator on api_keys (created_by);

		create table password_resets (
			user_id integer primary key references users (id) on delete cascade,
			jti text,
			password_hash text not null,
			expires_at integer not null,
			last_mail_at integer not null,
			mails integer not null
		) strict;

		create table login_attempts (
			account blob primary key,
			failures integer not null,
			pending integer not null,
			pending_since integer,
			last_failure_at integer
		) strict, without rowid;
		create index login_attempts_by_time on login_attempts (coalesce(last_failure_at, pending_since));

		create table secrets (
			key text primary key,
			key_id text not null,
			nonce blob not null,
			ciphertext blob not null,
			created_at integer not null,
			updated_at integer not null,
			updated_by integer references users (id) on delete set null
		) strict, without rowid;
		create index secrets_by_author on secrets (updated_by);

		create table audit_events (
			id integer primary key autoincrement,
			time integer not null,
			action text not null,
			outcome text not null check (outcome in ('success', 'failure', 'denied')),
			code text,
			actor_kind text not null,
			actor_id integer,
			actor_name text,
			target_type text,
			target_id integer,
			target_name text,
			ip text,
			user_agent text,
			request_id text,
			details text
		) strict;
		create index audit_events_by_time on audit_events (time);
		create index audit_events_by_action on audit_events (action, id);
		create index audit_events_by_actor on audit_events (actor_id, id);

		create table state (name text primary key, value text not null) strict, without rowid;
	`);
}
