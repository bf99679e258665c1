import type { DatabaseSync } from "node:sqlite";

/**
 * Annotations, datasets with experiments, prompts, retention, own model prices, and stored answers to idempotent
 * requests. Times are microseconds since 1970; columns named `metadata`, `input`, `output`, `definition`, `prices` and
 * `report` hold JSON.
 *
 * An annotation has one target. `target_row_id` is the row of its span, trace or session; foreign keys delete the
 * annotation with it (`trace_row_id` is set for spans and documents, too). `document_position` is -1 except for
 * documents. An annotation that arrives before its target is a row of `waiting_annotations`, whose `project_id` is 0
 * when the target may be in any project. `reason` says why it still waits although its target exists.
 *
 * Examples and memberships in splits are valid from the version that made them (`from_version`) up to, not including,
 * the one that ended them (`to_version`, null while valid): one condition selects the content of a version, and
 * versions copy nothing. A version is written in many transactions and exists once its row does, which comes last;
 * until then its number is in `dataset_uploads`. Nobody can see a dataset that is `uploading` or `deleting`.
 *
 * An experiment has the examples of its version, or those of them in the splits `split_ids`; both never change.
 * Evaluations repeat the experiment and the example of their run, so that an index yields the means.
 *
 * The default retention policy has no row; its runs have the policy 0. A run without an end is carried out, also after
 * a restart.
 */
export function createAnnotationsDatasetsPrompts(db: DatabaseSync): void {
	db.exec(`
		create table annotations (
			id integer primary key autoincrement,
			target text not null check (target in ('span', 'trace', 'session', 'document')),
			target_row_id integer not null,
			document_position integer not null default -1,
			project_id integer not null,
			span_row_id integer references spans (id) on delete cascade,
			trace_row_id integer references traces (id) on delete cascade,
			session_row_id integer references sessions (id) on delete cascade,
			name text not null,
			identifier text not null,
			annotator_kind text not null check (annotator_kind in ('LLM', 'CODE', 'HUMAN')),
			label text,
			score real,
			explanation text,
			metadata text not null,
			source text not null check (source in ('API', 'APP')),
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create unique index annotations_by_target on annotations (target, target_row_id, document_position, name, identifier);
		create index annotations_by_span on annotations (span_row_id) where span_row_id is not null;
		create index annotations_by_trace on annotations (trace_row_id) where trace_row_id is not null;
		create index annotations_by_session on annotations (session_row_id) where session_row_id is not null;
		create index annotations_by_name on annotations (project_id, target, name);
		create index annotations_by_identifier on annotations (project_id, target, identifier);

		create table waiting_annotations (
			id integer primary key autoincrement,
			target text not null check (target in ('span', 'trace', 'session', 'document')),
			target_id text not null,
			document_position integer not null default -1,
			project_id integer not null,
			name text not null,
			identifier text not null,
			annotator_kind text not null,
			label text,
			score real,
			explanation text,
			metadata text not null,
			source text not null,
			user_id integer references users (id) on delete set null,
			reason text,
			created_at integer not null
		) strict;
		create unique index waiting_annotations_by_target
			on waiting_annotations (target_id, target, project_id, document_position, name, identifier);

		create table annotation_configs (
			id integer primary key autoincrement,
			name text not null unique,
			definition text not null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create table project_annotation_configs (
			project_id integer not null references projects (id) on delete cascade,
			config_id integer not null references annotation_configs (id) on delete cascade,
			primary key (project_id, config_id)
		) strict, without rowid;
		create index project_annotation_configs_by_config on project_annotation_configs (config_id);

		create table datasets (
			id integer primary key autoincrement,
			name text not null,
			description text,
			metadata text not null,
			state text not null default 'ready' check (state in ('uploading', 'ready', 'deleting')),
			created_at integer not null,
			updated_at integer not null
		) strict;
		create unique index datasets_by_name on datasets (name) where state <> 'deleting';
		create index datasets_unready on datasets (state) where state <> 'ready';
		create table dataset_versions (
			id integer primary key autoincrement,
			dataset_id integer not null references datasets (id) on delete cascade,
			description text,
			metadata text not null,
			created_examples integer not null,
			updated_examples integer not null,
			deleted_examples integer not null,
			example_count integer not null,
			user_id integer references users (id) on delete set null,
			created_at integer not null
		) strict;
		create index dataset_versions_by_dataset on dataset_versions (dataset_id);
		create table dataset_uploads (
			version_id integer primary key,
			dataset_id integer not null unique references datasets (id) on delete cascade,
			started_at integer not null
		) strict;
		create table dataset_examples (
			id integer primary key autoincrement,
			dataset_id integer not null references datasets (id) on delete cascade,
			external_id text,
			span_row_id integer references spans (id) on delete set null,
			trace_id text,
			span_id text,
			created_at integer not null
		) strict;
		create index dataset_examples_by_dataset on dataset_examples (dataset_id);
		create unique index dataset_examples_by_external_id on dataset_examples (dataset_id, external_id)
			where external_id is not null;
		create index dataset_examples_by_span on dataset_examples (span_row_id) where span_row_id is not null;
		create table dataset_example_revisions (
			id integer primary key autoincrement,
			dataset_id integer not null references datasets (id) on delete cascade,
			example_id integer not null references dataset_examples (id) on delete cascade,
			from_version integer not null,
			to_version integer,
			input text not null,
			output text not null,
			metadata text not null,
			content_hash blob not null,
			created_at integer not null
		) strict;
		create index dataset_example_revisions_by_dataset on dataset_example_revisions (dataset_id, example_id, from_version);
		create index dataset_example_revisions_by_example on dataset_example_revisions (example_id);
		create index dataset_example_revisions_by_hash on dataset_example_revisions (dataset_id, content_hash, example_id)
			where to_version is null;

		create table dataset_splits (
			id integer primary key autoincrement,
			dataset_id integer not null references datasets (id) on delete cascade,
			name text not null,
			description text,
			color text not null,
			metadata text not null,
			created_at integer not null,
			updated_at integer not null,
			deleted_at integer
		) strict;
		create unique index dataset_splits_by_name on dataset_splits (dataset_id, name) where deleted_at is null;
		create index dataset_splits_by_dataset on dataset_splits (dataset_id);
		create table dataset_split_examples (
			split_id integer not null references dataset_splits (id) on delete cascade,
			example_id integer not null references dataset_examples (id) on delete cascade,
			from_version integer not null,
			to_version integer,
			primary key (split_id, example_id, from_version)
		) strict, without rowid;
		create index dataset_split_examples_by_example on dataset_split_examples (example_id);

		create table dataset_labels (
			id integer primary key autoincrement,
			name text not null unique,
			description text,
			color text not null,
			updated_at integer not null
		) strict;
		create table labels_of_datasets (
			dataset_id integer not null references datasets (id) on delete cascade,
			label_id integer not null references dataset_labels (id) on delete cascade,
			primary key (dataset_id, label_id)
		) strict, without rowid;
		create index labels_of_datasets_by_label on labels_of_datasets (label_id);

		create table experiments (
			id integer primary key autoincrement,
			dataset_id integer not null references datasets (id) on delete cascade,
			dataset_version_id integer not null,
			name text not null,
			description text,
			split_ids text,
			example_count integer not null,
			repetitions integer not null,
			metadata text not null,
			project_id integer references projects (id) on delete set null,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index experiments_by_dataset on experiments (dataset_id);
		create index experiments_by_project on experiments (project_id);
		create table experiment_runs (
			id integer primary key autoincrement,
			experiment_id integer not null references experiments (id) on delete cascade,
			example_id integer not null,
			repetition_number integer not null,
			output text not null,
			error text,
			trace_id text,
			start_micros integer not null,
			end_micros integer not null,
			user_id integer references users (id) on delete set null,
			unique (experiment_id, example_id, repetition_number)
		) strict;
		create index experiment_runs_by_experiment
			on experiment_runs (experiment_id, id, start_micros, end_micros, (error is null));
		create table experiment_evaluations (
			id integer primary key autoincrement,
			run_id integer not null references experiment_runs (id) on delete cascade,
			experiment_id integer not null,
			example_id integer not null,
			name text not null,
			annotator_kind text not null check (annotator_kind in ('LLM', 'CODE', 'HUMAN')),
			label text,
			score real,
			explanation text,
			error text,
			metadata text not null,
			trace_id text,
			start_micros integer not null,
			end_micros integer not null,
			unique (run_id, name)
		) strict;
		create index experiment_evaluations_by_name on experiment_evaluations (experiment_id, name, example_id, score);
		create table experiment_tags (
			id integer primary key autoincrement,
			dataset_id integer not null references datasets (id) on delete cascade,
			experiment_id integer not null references experiments (id) on delete cascade,
			name text not null,
			description text,
			unique (dataset_id, name)
		) strict;
		create index experiment_tags_by_experiment on experiment_tags (experiment_id);

		create table prompts (
			id integer primary key autoincrement,
			name text not null unique,
			description text,
			source_prompt_id integer references prompts (id) on delete set null,
			metadata text not null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index prompts_by_source on prompts (source_prompt_id);
		create table prompt_versions (
			id integer primary key autoincrement,
			prompt_id integer not null references prompts (id) on delete cascade,
			description text,
			metadata text not null,
			model_provider text not null,
			model_name text not null,
			definition text not null,
			user_id integer references users (id) on delete set null,
			created_at integer not null
		) strict;
		create index prompt_versions_by_prompt on prompt_versions (prompt_id);
		create table prompt_version_tags (
			id integer primary key autoincrement,
			prompt_id integer not null references prompts (id) on delete cascade,
			version_id integer not null references prompt_versions (id) on delete cascade,
			name text not null,
			description text,
			unique (prompt_id, name)
		) strict;
		create index prompt_version_tags_by_version on prompt_version_tags (version_id);

		create table retention_policies (
			id integer primary key autoincrement,
			name text not null unique,
			cron text not null,
			max_days real,
			max_traces integer,
			keep_annotated integer not null check (keep_annotated in (0, 1)),
			last_run_at integer,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create table retention_runs (
			id integer primary key autoincrement,
			policy_id integer not null,
			project_id integer not null,
			project_name text not null,
			started_at integer not null,
			ended_at integer,
			deleted_traces integer not null,
			kept_traces integer not null,
			error text
		) strict;
		create index retention_runs_unfinished on retention_runs (id) where ended_at is null;

		create table model_prices (
			id integer primary key autoincrement,
			name text not null,
			match text not null check (match in ('exact', 'prefix', 'suffix', 'contains', 'regex')),
			pattern text not null,
			provider text,
			starts_at integer,
			prices text not null,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create unique index model_prices_by_rule
			on model_prices (match, pattern, coalesce(provider, ''), coalesce(starts_at, -1));
		create table cost_recomputations (
			id integer primary key autoincrement,
			project_id integer not null references projects (id) on delete cascade,
			start_micros integer,
			end_micros integer,
			state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
			after_span integer not null,
			last_span integer not null,
			total_spans integer not null,
			seen_spans integer not null,
			changed_spans integer not null,
			error text,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index cost_recomputations_by_project on cost_recomputations (project_id);
		create index cost_recomputations_unfinished on cost_recomputations (id) where state in ('waiting', 'running');

		create table idempotency_keys (
			caller text not null,
			key text not null,
			request_hash blob not null,
			status integer,
			content_type text,
			body text,
			created_at integer not null,
			primary key (caller, key)
		) strict, without rowid;
		create index idempotency_keys_by_time on idempotency_keys (created_at);

		alter table projects add column origin text check (origin in ('experiment', 'evaluators'));
		alter table projects add column retention_policy_id integer references retention_policies (id) on delete set null;
		create index projects_by_retention_policy on projects (retention_policy_id) where retention_policy_id is not null;
	`);
	const now = Date.now() * 1_000;
	db.prepare("insert into annotation_configs (name, definition, created_at, updated_at) values (?, ?, ?, ?)").run(
		"user_feedback",
		JSON.stringify({
			type: "CATEGORICAL",
			description: "User feedback labels for traces.",
			optimization_direction: "MAXIMIZE",
			values: [
				{ label: "positive", score: 1 },
				{ label: "negative", score: 0 },
			],
		}),
		now,
		now,
	);
}
