import type { DatabaseSync } from "node:sqlite";

/**
 * Failures of spans and the groups of those that are the same (`errors/`). Times are microseconds since 1970.
 *
 * `error_backlog` has the traces to look at: since when, when the last of their spans came, and a random number that
 * changes with each span. Whoever has looked at a trace deletes its row only while that number is the one it began with.
 * While the row `error_backfill` of `state` is there, traces that are older than the table are still to be noted.
 *
 * `error_occurrences` has a row for each span that failed by itself, with user, session, release and environment of the
 * span or else of its trace. A fingerprint belongs to one group of its project, and has its own totals, so that it can be
 * taken out of a group again; those of a group are of all its fingerprints. `total_count` also counts what was deleted
 * since. `culprit` and `grouping` are JSON. What a group is called, its fingerprint says that it names itself.
 *
 * An ignored group opens after `ignore_until`, after `ignore_occurrences` more than `ignored_total`, or after
 * `ignore_users` different users with occurrences above the row number `ignored_after`; without any of these, never. In
 * `revision` and `updated_at` only changes of state and assignee count.
 *
 * `error_releases` says when a release was first seen in a project, once somebody wanted to know.
 * `error_settings` without a row are the defaults; `own_code` and `kinds` are JSON lists, null for all kinds.
 */
export function createErrorGroups(db: DatabaseSync): void {
	db.exec(`
		create table error_backlog (
			trace_row_id integer primary key,
			first_at integer not null,
			last_at integer not null,
			generation integer not null
		) strict;
		create index error_backlog_by_first on error_backlog (first_at);

		insert into state (name, value)
			select 'error_backfill', json_object('before', cast(unixepoch('subsec') * 1000000 as integer))
			where exists (select 1 from projects);

		create table error_groups (
			id integer primary key autoincrement,
			project_id integer not null references projects (id) on delete cascade,
			fingerprint text not null,
			state text not null default 'open' check (state in ('open', 'resolved', 'ignored')),
			regressed_at integer,
			resolved_at integer,
			resolved_in_release text,
			ignored_at integer,
			ignore_until integer,
			ignore_occurrences integer,
			ignore_users integer,
			ignored_total integer,
			ignored_after integer,
			assignee_id integer references users (id) on delete set null,
			total_count integer not null,
			first_seen integer not null,
			last_seen integer not null,
			first_release text,
			last_release text,
			revision integer not null default 1,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index error_groups_by_state on error_groups (project_id, state, last_seen);
		create index error_groups_by_last_seen on error_groups (last_seen);
		create index error_groups_by_assignee on error_groups (assignee_id) where assignee_id is not null;
		create index error_groups_ignored on error_groups (ignore_until) where ignore_until is not null;
		create index error_groups_empty on error_groups (id) where total_count = 0;

		create table error_group_fingerprints (
			project_id integer not null references projects (id) on delete cascade,
			fingerprint text not null,
			group_id integer not null references error_groups (id) on delete cascade,
			version integer not null,
			kind text not null check (kind in ('refusal', 'provider_error', 'tool_failure', 'exception', 'error')),
			type text,
			title text not null,
			message text not null,
			culprit text not null,
			grouping text not null,
			total_count integer not null,
			first_seen integer not null,
			last_seen integer not null,
			first_release text,
			last_release text,
			primary key (project_id, fingerprint)
		) strict, without rowid;
		create index error_group_fingerprints_by_group on error_group_fingerprints (group_id);

		create table error_occurrences (
			id integer primary key autoincrement,
			project_id integer not null,
			group_id integer not null,
			trace_row_id integer not null,
			span_row_id integer not null unique references spans (id) on delete cascade,
			trace_id blob not null,
			span_id blob not null,
			start_micros integer not null,
			fingerprint text not null,
			version integer not null,
			kind text not null check (kind in ('refusal', 'provider_error', 'tool_failure', 'exception', 'error')),
			message text not null,
			tool text,
			user_id text,
			session_id text,
			release text,
			environment text,
			model text
		) strict;
		create index error_occurrences_by_trace on error_occurrences (trace_row_id);
		create index error_occurrences_by_group on error_occurrences (group_id, start_micros);
		create index error_occurrences_by_start on error_occurrences (project_id, start_micros);

		create table error_comments (
			id integer primary key autoincrement,
			group_id integer not null references error_groups (id) on delete cascade,
			user_id integer references users (id) on delete set null,
			text text not null,
			created_at integer not null,
			updated_at integer not null
		) strict;
		create index error_comments_by_group on error_comments (group_id);
		create index error_comments_by_user on error_comments (user_id) where user_id is not null;

		create table error_activity (
			id integer primary key autoincrement,
			group_id integer not null references error_groups (id) on delete cascade,
			time integer not null,
			actor_kind text not null,
			user_id integer references users (id) on delete set null,
			action text not null,
			details text not null
		) strict;
		create index error_activity_by_group on error_activity (group_id);
		create index error_activity_by_user on error_activity (user_id) where user_id is not null;

		create table error_releases (
			project_id integer not null references projects (id) on delete cascade,
			release text not null,
			first_seen integer not null,
			primary key (project_id, release)
		) strict, without rowid;

		create table error_settings (
			project_id integer primary key references projects (id) on delete cascade,
			release_key text,
			own_code text not null default '[]',
			kinds text,
			revision integer not null default 1,
			updated_at integer not null
		) strict;
	`);
}
