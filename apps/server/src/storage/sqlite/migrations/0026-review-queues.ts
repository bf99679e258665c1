import type { DatabaseSync } from "node:sqlite";

/**
 * Review queues (`resources/review-queues/`), their items, and the turns that reviewers take on them. Times are
 * microseconds since 1970.
 *
 * `questions` is a JSON list: annotation configs as they were when the queue got them. `reviewers` is a JSON list of row
 * numbers of users, null for everybody who may annotate; so is `adjudicators`. `seed` decides `random_rank`.
 *
 * An item is `open` until its turns are done. `decision` is JSON: the answers of an adjudicator. `is_published` says that its
 * answers are annotations. `target_id` is the id as it was sent.
 *
 * `reviewer` is the row number of a user, which may be gone, or 0 while authentication is off. A reserved turn counts until
 * `reserved_until`, and while its reviewer may annotate at all. `draft` and `answers` are JSON.
 * `review_revisions` has the answers that were changed later.
 */
export function createReviewQueues(db: DatabaseSync): void {
	db.exec(`
		create table review_queues (
			id integer primary key autoincrement,
			name text not null unique,
			description text,
			guidance text,
			target text not null check (target in ('span', 'trace', 'session')),
			questions text not null,
			reviews_required integer not null check (reviews_required between 1 and 9),
			reviewers text,
			adjudicators text not null,
			blind integer not null check (blind in (0, 1)),
			item_order text not null check (item_order in ('oldest', 'newest', 'random', 'priority')),
			seed integer not null,
			lease_minutes integer not null,
			due_at integer,
			archived_at integer,
			created_by integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index review_queues_by_creator on review_queues (created_by) where created_by is not null;

		create table review_items (
			id integer primary key autoincrement,
			queue_id integer not null references review_queues (id) on delete cascade,
			project_id integer not null references projects (id) on delete cascade,
			target_row_id integer not null,
			trace_row_id integer,
			target_id text not null,
			priority integer not null,
			random_rank integer not null,
			state text not null default 'open' check (state in ('open', 'disagreement', 'done', 'removed')),
			decision text,
			decided_by integer,
			decided_at integer,
			is_published integer not null default 0 check (is_published in (0, 1)),
			created_at integer not null,
			updated_at integer not null,
			unique (queue_id, target_row_id)
		) strict;
		create index review_items_by_id on review_items (queue_id, state, id);
		create index review_items_by_rank on review_items (queue_id, state, random_rank, id);
		create index review_items_by_priority on review_items (queue_id, state, priority desc, id);
		create index review_items_by_project on review_items (project_id);
		create index review_items_by_trace on review_items (trace_row_id) where trace_row_id is not null;

		create table review_turns (
			id integer primary key autoincrement,
			queue_id integer not null,
			item_id integer not null references review_items (id) on delete cascade,
			reviewer integer not null,
			status text not null check (status in ('reserved', 'done', 'skipped')),
			reserved_until integer not null,
			draft text,
			answers text,
			source text check (source in ('API', 'APP')),
			reason text,
			started_at integer not null,
			finished_at integer,
			unique (item_id, reviewer)
		) strict;
		create index review_turns_by_reviewer on review_turns (queue_id, reviewer, status, finished_at);

		create table review_revisions (
			id integer primary key autoincrement,
			turn_id integer not null references review_turns (id) on delete cascade,
			answers text not null,
			finished_at integer not null
		) strict;
		create index review_revisions_by_turn on review_revisions (turn_id);
	`);
}
