import type { DatabaseSync } from "node:sqlite";

/**
 * Signing in with providers and directories. Times are microseconds since 1970.
 *
 * A row of `spent_sign_ins` marks a transaction whose log-in has returned from its provider, so that it is completed
 * only once. Rows beyond `expires_at` are deleted, as the transaction itself has expired by then.
 *
 * `sign_in_tries` holds what an admin's try of a way to sign in has shown, for minutes, until the page fetches it.
 */
export function createExternalSignIn(db: DatabaseSync): void {
	db.exec(`
		create table spent_sign_ins (
			id text primary key,
			expires_at integer not null
		) strict, without rowid;
		create index spent_sign_ins_by_end on spent_sign_ins (expires_at);

		create table sign_in_tries (
			id text primary key,
			user_id integer not null references users (id) on delete cascade,
			report text not null,
			expires_at integer not null
		) strict, without rowid;
		create index sign_in_tries_by_user on sign_in_tries (user_id);
		create index sign_in_tries_by_end on sign_in_tries (expires_at);
	`);
}
