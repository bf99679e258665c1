import type { DatabaseSync } from "node:sqlite";

/**
 * Mails about review queues, by queue and person. `added_as` is what the person has still to be told that they were added as,
 * `due_for` the due date that they have been told, and `mailed_on` the day, counted from 1970, of the last mail.
 * `next_try_at` and `tries` are those of a mail that could not be sent. Times are microseconds since 1970.
 */
export function createReviewMails(db: DatabaseSync): void {
	db.exec(`
		create table review_mails (
			queue_id integer not null references review_queues (id) on delete cascade,
			user_id integer not null references users (id) on delete cascade,
			added_as text check (added_as in ('reviewer', 'adjudicator', 'both')),
			due_for integer,
			mailed_on integer,
			tries integer not null,
			next_try_at integer not null,
			primary key (queue_id, user_id)
		) strict, without rowid;
		create index review_mails_by_user on review_mails (user_id);
		create index review_mails_of_added on review_mails (next_try_at) where added_as is not null;
	`);
}
