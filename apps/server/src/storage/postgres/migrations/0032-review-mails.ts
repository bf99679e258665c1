import type { ClientBase } from "pg";

/** As SQLite's migration of this number. */
export async function createReviewMails(client: ClientBase): Promise<void> {
	await client.query(`
		create table review_mails (
			queue_id bigint not null references review_queues (id) on delete cascade,
			user_id bigint not null references users (id) on delete cascade,
			added_as text collate "C" check (added_as in ('reviewer', 'adjudicator', 'both')),
			due_for bigint,
			mailed_on bigint,
			tries bigint not null,
			next_try_at bigint not null,
			primary key (queue_id, user_id)
		);
		create index review_mails_by_user on review_mails (user_id);
		create index review_mails_of_added on review_mails (next_try_at) where added_as is not null;
	`);
}
