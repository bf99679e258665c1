/** What differs between the two databases that Phoenix works with. */
export interface Dialect {
	readonly json: string;
	readonly time: string;
	readonly yes: string;
	readonly no: string;
}

export const SQLITE: Dialect = { json: "text", time: "text", yes: "1", no: "0" };
export const POSTGRES: Dialect = { json: "jsonb", time: "timestamptz", yes: "true", no: "false" };

const AT = "'2026-01-01 00:00:00.123456'";
const LATER = "'2026-01-01 00:00:01'";
export const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** The tables and columns of a Phoenix database that the import reads, with some of everything in them. */
export function phoenixDatabase({ json, time, yes, no }: Dialect): string {
	return `
		create table alembic_version (version_num text);
		create table user_roles (id integer primary key, name text);
		insert into user_roles values (1, 'SYSTEM'), (2, 'ADMIN'), (3, 'MEMBER'), (4, 'VIEWER');
		create table users (id integer primary key, user_role_id integer, username text, email text, auth_method text,
			oauth2_user_id text, ldap_unique_id text, created_at ${time});
		insert into users values
			(1, 1, 'system', 'system@localhost', 'LOCAL', null, null, ${AT}),
			(2, 2, 'admin', 'admin@localhost', 'LOCAL', null, null, ${AT}),
			(3, 3, 'Mary', 'Mary@example.org', 'LOCAL', null, null, ${AT}),
			(4, 4, 'Vera', 'vera@example.org', 'OAUTH2', 'sub-4', null, ${AT}),
			(5, 3, 'Lea', 'lea@example.org', 'LDAP', null, 'unique-5', ${AT});
		create table api_keys (id integer primary key, user_id integer, name text);
		insert into api_keys values (1, 3, 'nightly job');
		create table secrets (id integer primary key);
		insert into secrets values (1);
		create table generative_models (id integer primary key, name text, provider text, name_pattern text, is_built_in boolean,
			start_time ${time}, created_at ${time}, updated_at ${time}, deleted_at ${time});
		insert into generative_models values (1, 'gpt-4o', '', 'gpt-4o', ${yes}, null, ${AT}, ${AT}, null),
			(2, 'house', '', '4o$', ${no}, '2025-01-01 00:00:00', ${AT}, ${AT}, null),
			(3, 'looks back', 'openai', 'a(?<!b)', ${no}, null, ${AT}, ${AT}, null), (4, 'gone', '', 'gone', ${no}, null, ${AT}, ${AT}, ${AT});
		create table token_prices (id integer primary key, model_id integer, token_type text, is_prompt boolean, base_rate real, customization ${json});
		insert into token_prices values (1, 1, 'input', ${yes}, 1, 'null'), (2, 2, 'input', ${yes}, 2.0000000000000002e-7, 'null'),
			(3, 2, 'output', ${no}, 6e-7, 'null'), (4, 2, 'audio', ${yes}, 1, 'null'), (5, 3, 'input', ${yes}, 1, 'null');
		create table project_trace_retention_policies (id integer primary key, name text, cron_expression text, rule ${json});
		insert into project_trace_retention_policies values (0, 'Default', '0 0 * * 0', '{"type": "max_days", "max_days": 30.0}'),
			(1, 'short', '0 1 * * 0', '{"type": "max_days_or_count", "max_days": 36000.5, "max_count": 10}'),
			(2, 'other', '0 1 * * 0', '{"type": "by_weight"}');

		create table projects (id integer primary key, name text, description text, created_at ${time}, updated_at ${time},
			trace_retention_policy_id integer);
		insert into projects values (1, 'default', 'Default project', ${AT}, ${AT}, null), (2, 'shop', 'of shoes', ${AT}, ${LATER}, 1),
			(3, 'Experiment-1', null, ${AT}, ${AT}, null);
		create table project_sessions (id integer primary key, session_id text, project_id integer);
		insert into project_sessions values (1, 'talk', 2);
		create table traces (id integer primary key, project_rowid integer, trace_id text);
		insert into traces values (1, 2, '${TRACE}'), (2, 1, 'no trace');
		create table spans (id integer primary key, trace_rowid integer, span_id text, parent_id text, name text, span_kind text,
			start_time ${time}, end_time ${time}, attributes ${json}, events ${json}, status_code text, status_message text);
		insert into spans values
			(1, 1, 'b7ad6b7169203331', null, 'answer', 'CHAIN', ${AT}, ${LATER},
				'{"session": {"id": "talk"}, "input": {"value": "how?"}, "metadata": {"tenant": 7}, "openinference": {"span": {"kind": "CHAIN"}}}',
				'[{"name": "exception", "timestamp": "2026-01-01T00:00:00.500000+00:00", "attributes": {"exception.message": "again"}}]',
				'ERROR', 'it broke'),
			(2, 1, 'b7ad6b7169203332', 'b7ad6b7169203331', 'model', 'LLM', ${AT}, ${LATER},
				'{"llm": {"model_name": "gpt-4o", "token_count": {"prompt": 10, "completion": 5}, "input_messages": [{"message": {"role": "user", "content": "how?"}}]},
					"tag": {"tags": ["a", "b"]}, "exact": 9007199254740993, "openinference": {"span": {"kind": "LLM"}}}',
				'[]', 'OK', ''),
			(3, 1, 'b7ad6b7169203333', 'b7ad6b7169203331', 'search', 'RETRIEVER', ${AT}, ${LATER},
				'{"retrieval": {"documents": [{"document": {"content": "one"}}]}, "openinference": {"span": {"kind": "RETRIEVER"}}}',
				'[]', 'UNSET', ''),
			(4, 2, 'odd', null, 'odd', 'CHAIN', ${AT}, ${LATER}, '{}', '[]', 'OK', '');
		${["span", "trace", "document"].map((kind) => annotations(kind, `${kind === "trace" ? "trace" : "span"}_rowid`, kind === "document")).join("")}
		${annotations("project_session", "project_session_id", false)}
		insert into span_annotations values (1, 2, 'quality', '', 'good', 0.5, 'why', '{"m": 1}', 'HUMAN', 'APP', 3, ${AT}, ${LATER});
		insert into trace_annotations values (1, 1, 'done', 'x', null, 1, null, '{}', 'LLM', 'API', null, ${AT}, ${AT});
		insert into project_session_annotations values (1, 1, 'mood', '', 'fine', null, null, '{}', 'CODE', 'API', null, ${AT}, ${AT});
		insert into document_annotations values (1, 3, 'relevance', '', null, 1, null, '{}', 'LLM', 'API', null, ${AT}, ${AT}, 0);
		create table annotation_configs (id integer primary key, name text, config ${json});
		insert into annotation_configs values
			(1, 'mood', '{"name": null, "type": "CATEGORICAL", "optimization_direction": "MAXIMIZE", "values": [{"label": "fine", "score": 1.0}]}');
		create table project_annotation_configs (id integer primary key, project_id integer, annotation_config_id integer);
		insert into project_annotation_configs values (1, 2, 1);

		create table datasets (id integer primary key, name text, description text, metadata ${json}, created_at ${time}, updated_at ${time});
		insert into datasets values (1, 'sums', 'easy', '{"k": 1}', ${AT}, ${LATER});
		create table dataset_versions (id integer primary key, dataset_id integer, description text, metadata ${json}, created_at ${time}, user_id integer);
		insert into dataset_versions values (1, 1, 'first', '{}', ${AT}, 3), (2, 1, null, '{}', ${LATER}, null);
		create table dataset_examples (id integer primary key, dataset_id integer, span_rowid integer, external_id text);
		insert into dataset_examples values (1, 1, 2, 'one'), (2, 1, null, null), (3, 1, null, null);
		create table dataset_example_revisions (id integer primary key, dataset_example_id integer, dataset_version_id integer,
			input ${json}, output ${json}, metadata ${json}, revision_kind text);
		insert into dataset_example_revisions values
			(1, 1, 1, '{"q": "1+1"}', '{"a": "2"}', '{}', 'CREATE'), (2, 2, 1, '{"q": "2+2"}', '{"a": "4"}', '{}', 'CREATE'),
			(3, 1, 2, '{"q": "1 + 1"}', '{"a": "2"}', '{}', 'PATCH'), (4, 2, 2, '{}', '{}', '{}', 'DELETE'),
			(5, 3, 2, '{"q": "3+3"}', '{"a": "6"}', '{}', 'CREATE');
		create table dataset_splits (id integer primary key, name text, description text, color text);
		insert into dataset_splits values (1, 'train', 'to learn', '#112233'), (2, 'unused', null, '#000000');
		create table dataset_splits_dataset_examples (dataset_split_id integer, dataset_example_id integer);
		insert into dataset_splits_dataset_examples values (1, 1), (1, 2);
		create table dataset_labels (id integer primary key, name text, description text, color text);
		insert into dataset_labels values (1, 'golden', null, '#ffcc00');
		create table datasets_dataset_labels (dataset_id integer, dataset_label_id integer);
		insert into datasets_dataset_labels values (1, 1);

		create table experiments (id integer primary key, dataset_id integer, dataset_version_id integer, name text, description text,
			repetitions integer, metadata ${json}, project_name text, is_ephemeral boolean, user_id integer, created_at ${time}, updated_at ${time});
		insert into experiments values (1, 1, 2, 'try', 'careful', 1, '{"t": 0}', 'Experiment-1', ${no}, 3, ${AT}, ${LATER}),
			(2, 1, 2, 'gone', null, 1, '{}', null, ${yes}, null, ${AT}, ${AT});
		create table experiments_dataset_splits (experiment_id integer, dataset_split_id integer);
		insert into experiments_dataset_splits values (1, 1);
		create table experiment_runs (id integer primary key, experiment_id integer, dataset_example_id integer, repetition_number integer,
			trace_id text, output ${json}, error text, start_time ${time}, end_time ${time});
		insert into experiment_runs values (1, 1, 1, 1, '${TRACE}', '{"task_output": {"a": "two"}}', null, ${AT}, ${LATER});
		create table experiment_run_annotations (id integer primary key, experiment_run_id integer, name text, annotator_kind text, label text,
			score real, explanation text, error text, metadata ${json}, trace_id text, start_time ${time}, end_time ${time});
		insert into experiment_run_annotations values (1, 1, 'exact', 'CODE', 'no', 0, null, null, '{}', null, ${AT}, ${LATER});
		create table experiment_tags (id integer primary key, experiment_id integer, dataset_id integer, name text, description text);
		insert into experiment_tags values (1, 1, 1, 'baseline', null);

		create table prompts (id integer primary key, name text, description text, metadata ${json}, source_prompt_id integer, created_at ${time}, updated_at ${time});
		insert into prompts values (1, 'greet', 'kindly', '{}', null, ${AT}, ${LATER}), (2, 'plain', null, '{}', 1, ${AT}, ${AT});
		create table prompt_versions (id integer primary key, prompt_id integer, description text, user_id integer, template_type text,
			template_format text, template ${json}, invocation_parameters ${json}, tools ${json}, response_format ${json}, model_provider text,
			model_name text, metadata ${json}, created_at ${time});
		insert into prompt_versions values
			(1, 1, 'one', 3, 'CHAT', 'MUSTACHE', '{"type": "chat", "messages": [{"role": "user", "content": "Hello {{name}}"}]}',
				'{"type": "openai", "openai": {"temperature": 0.5}}', null, null, 'OPENAI', 'gpt-4o', '{}', ${AT}),
			(2, 1, 'two', null, 'CHAT', 'MUSTACHE', '{"type": "chat", "messages": [{"role": "user", "content": "Hi {{name}}"}]}',
				'{"type": "openai", "openai": {}}', null, null, 'OPENAI', 'gpt-4o', '{}', ${LATER}),
			(3, 2, null, null, 'STR', 'NONE', '{"type": "string", "template": "Hi"}',
				'{"type": "openai", "openai": {}}', null, null, 'OPENAI', 'gpt-4o', '{}', ${AT});
		create table prompt_version_tags (id integer primary key, name text, description text, prompt_id integer, prompt_version_id integer);
		insert into prompt_version_tags values (1, 'production', null, 1, 1);
		create table prompt_labels (id integer primary key, name text);
		insert into prompt_labels values (1, 'polite');
		create table prompts_prompt_labels (id integer primary key, prompt_label_id integer, prompt_id integer);
		insert into prompts_prompt_labels values (1, 1, 1);
	`;

	function annotations(kind: string, target: string, hasPosition: boolean): string {
		return `create table ${kind}_annotations (id integer primary key, ${target} integer, name text, identifier text, label text,
			score real, explanation text, metadata ${json}, annotator_kind text, source text, user_id integer, created_at ${time},
			updated_at ${time}${hasPosition ? ", document_position integer" : ""});`;
	}
}
