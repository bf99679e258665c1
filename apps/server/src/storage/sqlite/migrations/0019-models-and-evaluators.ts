import type { DatabaseSync } from "node:sqlite";

/**
 * Model connections with what was spent through them (`models/`), evaluators (`evaluation/`, `resources/evaluators/`) and
 * experiments that the server runs (`resources/experiment-jobs/`). Amounts of money are whole billionths of a dollar.
 *
 * `model_connections.origin` is `settings` for those of `SERVICE_MODEL_CONNECTIONS`, whose credentials are not stored.
 * `is_confirmed` is 0 for what was made or changed while authentication was off. `failing_*` say why and since when a
 * provider refuses every call, and when it was tried last. A credential is a sealed value, bound to connection and field, or the name of a secret;
 * its field is that of the credential, or `header:` and the name of a header in lower case.
 *
 * `model_calls` are calls under way, on all servers: each takes a place of its connection and has `reserved_nanos` of
 * every budget in `scopes`, a JSON array, until it is settled. Its server puts `expires_at` off while it runs; after it, what
 * was reserved counts as spent. It outlives its connection, so that budgets of others know what it cost. `money_spent` has a row for each budget: `connection:<id>:<yyyymm>`, `job:<id>`, `rule:<id>:<yyyymm>`.
 *
 * `model_rates` counts requests and tokens by second for limits a minute. `model_holds` is for a model whose provider
 * asked to wait. `model_lessons` are what calls found out about a model, such as a parameter that it refuses.
 * `model_measures` are averages from which costs are estimated. `model_usage` counts by month (yyyymm, UTC), purpose, model
 * and outcome: `ok` or a code of an error.
 *
 * `project_homes` has the projects that the service made for what happens in another one, or in the library where `home_id`
 * is null: who sees that sees them.
 *
 * A job's tasks are all of its runs, and its evaluations as the runs come. A task that is `running` belongs to `holder` until `held_until`.
 */
export function createModelsAndEvaluators(db: DatabaseSync): void {
	db.exec(`
		create table model_connections (
			id integer primary key autoincrement,
			name text not null unique,
			kind text not null check (kind in
				('openai', 'openai_compatible', 'azure_openai', 'anthropic', 'google', 'google_vertex', 'aws_bedrock')),
			origin text not null check (origin in ('api', 'settings')),
			base_url text,
			api text check (api in ('responses', 'chat_completions')),
			settings text not null,
			models text,
			default_model text,
			is_enabled integer not null check (is_enabled in (0, 1)),
			is_confirmed integer not null check (is_confirmed in (0, 1)),
			use_by text not null check (use_by in ('members', 'admins')),
			rules_by text not null check (rules_by in ('members', 'admins')),
			max_concurrency integer not null,
			requests_per_minute integer,
			tokens_per_minute integer,
			monthly_budget_nanos integer,
			timeout_seconds integer not null,
			failing_code text,
			failing_reason text,
			failing_since integer,
			failing_tried_at integer,
			revision integer not null,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index model_connections_by_user on model_connections (user_id) where user_id is not null;
		create table model_credentials (
			connection_id integer not null references model_connections (id) on delete cascade,
			field text not null,
			secret_key text,
			key_id text,
			nonce blob,
			ciphertext blob,
			updated_at integer not null,
			primary key (connection_id, field),
			check ((secret_key is null) <> (ciphertext is null))
		) strict, without rowid;
		create index model_credentials_by_secret on model_credentials (secret_key) where secret_key is not null;
		create table model_calls (
			id integer primary key autoincrement,
			connection_id integer not null,
			purpose text not null,
			model text not null,
			is_interactive integer not null check (is_interactive in (0, 1)),
			scopes text not null,
			reserved_nanos integer not null,
			reserved_tokens integer not null,
			started_at integer not null,
			expires_at integer not null
		) strict;
		create index model_calls_by_connection on model_calls (connection_id);
		create index model_calls_by_expiry on model_calls (expires_at);
		create table money_spent (
			scope text not null primary key,
			spent_nanos integer not null,
			reserved_nanos integer not null
		) strict, without rowid;
		create table model_rates (
			connection_id integer not null references model_connections (id) on delete cascade,
			second integer not null,
			requests integer not null,
			tokens integer not null,
			primary key (connection_id, second)
		) strict, without rowid;
		create table model_holds (
			connection_id integer not null references model_connections (id) on delete cascade,
			model text not null,
			held_until integer not null,
			concurrency integer,
			primary key (connection_id, model)
		) strict, without rowid;
		create table model_lessons (
			connection_id integer not null references model_connections (id) on delete cascade,
			model text not null,
			lesson text not null,
			learned_at integer not null,
			primary key (connection_id, model, lesson)
		) strict, without rowid;
		create table model_measures (
			connection_id integer not null references model_connections (id) on delete cascade,
			model text not null,
			calls integer not null,
			input_bytes real not null,
			input_tokens real not null,
			output_tokens real not null,
			seconds real not null,
			primary key (connection_id, model)
		) strict, without rowid;
		create table model_usage (
			connection_id integer not null references model_connections (id) on delete cascade,
			month integer not null,
			purpose text not null,
			model text not null,
			outcome text not null,
			calls integer not null,
			input_tokens integer not null,
			output_tokens integer not null,
			cost_nanos integer not null,
			primary key (connection_id, month, purpose, model, outcome)
		) strict, without rowid;

		create table evaluators (
			id integer primary key autoincrement,
			name text not null unique,
			description text,
			archived_at integer,
			revision integer not null,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index evaluators_by_user on evaluators (user_id) where user_id is not null;
		create table evaluator_versions (
			id integer primary key autoincrement,
			evaluator_id integer not null references evaluators (id) on delete cascade,
			number integer not null,
			kind text not null check (kind in ('LLM', 'CODE', 'BUILT_IN')),
			definition text not null,
			template text,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			unique (evaluator_id, number)
		) strict;
		create index evaluator_versions_by_user on evaluator_versions (user_id) where user_id is not null;
		create table dataset_evaluators (
			dataset_id integer not null references datasets (id) on delete cascade,
			evaluator_id integer not null references evaluators (id) on delete cascade,
			version_id integer references evaluator_versions (id) on delete cascade,
			mapping text,
			run_automatically integer not null check (run_automatically in (0, 1)),
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null,
			primary key (dataset_id, evaluator_id)
		) strict, without rowid;
		create index dataset_evaluators_by_evaluator on dataset_evaluators (evaluator_id);
		create index dataset_evaluators_by_version on dataset_evaluators (version_id) where version_id is not null;
		create index dataset_evaluators_by_user on dataset_evaluators (user_id) where user_id is not null;

		alter table datasets add column evaluators_project_id integer references projects (id) on delete set null;
		create index datasets_by_evaluators_project on datasets (evaluators_project_id)
			where evaluators_project_id is not null;
		alter table experiments add column task text;
		create table experiment_jobs (
			id integer primary key autoincrement,
			kind text not null check (kind in ('run', 'evaluate')),
			name text not null,
			dataset_id integer references datasets (id) on delete set null,
			dataset_version_id integer,
			state text not null check (state in ('waiting', 'running', 'paused', 'done', 'failed', 'cancelled')),
			reason text,
			error text,
			definition text not null,
			max_cost_nanos integer,
			total_runs integer not null,
			revision integer not null,
			principal text not null,
			user_id integer references users (id) on delete set null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index experiment_jobs_by_dataset on experiment_jobs (dataset_id) where dataset_id is not null;
		create index experiment_jobs_by_user on experiment_jobs (user_id) where user_id is not null;
		create index experiment_jobs_unfinished on experiment_jobs (id) where state in ('waiting', 'running', 'paused');
		create table experiment_job_experiments (
			job_id integer not null references experiment_jobs (id) on delete cascade,
			experiment_id integer not null references experiments (id) on delete cascade,
			position integer not null,
			primary key (job_id, experiment_id)
		) strict, without rowid;
		create index experiment_job_experiments_by_experiment on experiment_job_experiments (experiment_id);
		create table experiment_job_tasks (
			id integer primary key autoincrement,
			job_id integer not null references experiment_jobs (id) on delete cascade,
			experiment_id integer not null references experiments (id) on delete cascade,
			kind text not null check (kind in ('run', 'evaluation')),
			example_id integer not null,
			repetition_number integer not null,
			run_id integer references experiment_runs (id) on delete cascade,
			evaluator integer,
			state text not null check (state in ('ready', 'running', 'done', 'failed', 'skipped')),
			attempts integer not null,
			ended_at integer,
			holder text,
			held_until integer,
			error_code text,
			error text
		) strict;
		create index experiment_job_tasks_by_state on experiment_job_tasks (job_id, state, kind, id);
		create index experiment_job_tasks_by_experiment on experiment_job_tasks (experiment_id);
		create index experiment_job_tasks_by_run on experiment_job_tasks (run_id) where run_id is not null;
		create index experiment_job_tasks_ended on experiment_job_tasks (job_id, ended_at) where ended_at is not null;
		create index experiment_job_tasks_held on experiment_job_tasks (held_until) where state = 'running';

		create table project_homes (
			project_id integer primary key references projects (id) on delete cascade,
			made_for text not null check (made_for in ('playground', 'evaluators')),
			home_id integer references projects (id) on delete cascade
		) strict;
		create unique index project_homes_by_purpose on project_homes (made_for, coalesce(home_id, 0));
		create index project_homes_by_home on project_homes (home_id) where home_id is not null;
	`);
}
