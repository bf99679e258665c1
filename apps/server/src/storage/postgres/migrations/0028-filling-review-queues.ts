import type { ClientBase } from "pg";

/** As SQLite's migration of this number. */
export async function fillReviewQueues(client: ClientBase): Promise<void> {
	await client.query(`
		alter table bulk_runs drop constraint bulk_runs_action_check;
		alter table bulk_runs add constraint bulk_runs_action_check
			check (action in ('delete', 'move', 'annotate', 'add_to_dataset', 'add_to_review_queue'));

		create index review_items_by_session on review_items (target_row_id) where trace_row_id is null;
		create index review_items_by_time on review_items (queue_id, created_at);
		create index review_turns_by_start on review_turns (queue_id, reviewer, started_at);
		create index review_turns_reserved on review_turns (queue_id, item_id) where status = 'reserved';
		create index review_turns_skipped on review_turns (queue_id, finished_at) where status = 'skipped';

		create table review_rules (
			queue_id bigint primary key references review_queues (id) on delete cascade,
			project_id bigint not null references projects (id) on delete cascade,
			filter text collate "C" not null,
			sample double precision not null check (sample between 0 and 1),
			daily_limit bigint,
			enabled bigint not null check (enabled in (0, 1)),
			error text collate "C",
			user_id bigint references users (id) on delete set null,
			acts_as text collate "C" not null,
			decided_row bigint,
			seen_row bigint,
			seen_at bigint,
			day bigint not null,
			day_items bigint not null,
			total_items bigint not null,
			revision bigint not null,
			created_at bigint not null,
			updated_at bigint not null
		);
		create index review_rules_by_project on review_rules (project_id);
		create index review_rules_by_user on review_rules (user_id) where user_id is not null;
	`);
}
