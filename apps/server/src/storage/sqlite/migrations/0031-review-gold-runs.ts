import type { DatabaseSync } from "node:sqlite";

/**
 * Runs that make the gold answers of a review queue a version of a dataset (`resources/review-queues/gold/`). While a run has
 * not ended, what it has written is an upload (`dataset_uploads`) of the version `version_id`, which nobody sees; cancelled and
 * failed ones are discarded. `position` is the last item that was looked at. Times are microseconds since 1970.
 */
export function createReviewGoldRuns(db: DatabaseSync): void {
	db.exec(`
		create table review_gold_runs (
			id integer primary key autoincrement,
			queue_id integer references review_queues (id) on delete set null,
			dataset_id integer references datasets (id) on delete set null,
			version_id integer not null,
			parameters text not null,
			state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
			revision integer not null,
			position integer not null,
			total_items integer not null,
			done_items integer not null,
			created_examples integer not null,
			updated_examples integer not null,
			unchanged_examples integer not null,
			left_out_items integer not null,
			left_out text not null,
			error text,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index review_gold_runs_by_queue on review_gold_runs (queue_id) where queue_id is not null;
		create index review_gold_runs_by_dataset on review_gold_runs (dataset_id) where dataset_id is not null;
		create index review_gold_runs_by_user on review_gold_runs (user_id) where user_id is not null;
		create index review_gold_runs_unfinished on review_gold_runs (id) where state in ('waiting', 'running');
	`);
}
