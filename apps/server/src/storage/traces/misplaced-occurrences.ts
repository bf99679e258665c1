const OF_FINGERPRINT = `error_occurrences as stored join error_group_fingerprints as counted
	on counted.project_id = stored.project_id and counted.fingerprint = stored.fingerprint`;

/**
 * Selects occurrences of errors and groups that do not fit together, with the finding for each. A total counts what was
 * deleted since, too, so it may be higher than the number of stored occurrences.
 */
export const MISPLACED_OCCURRENCES: Readonly<Record<string, string>> = {
	[`error_occurrences join spans on spans.id = error_occurrences.span_row_id
		where error_occurrences.trace_row_id <> spans.trace_row_id or error_occurrences.project_id <> spans.project_id`]:
		"occurrences of errors are not where their span is",
	[`error_occurrences as stored where not exists (
		select 1 from error_group_fingerprints as counted
		where counted.project_id = stored.project_id and counted.fingerprint = stored.fingerprint
			and counted.group_id = stored.group_id)`]: "occurrences of errors are not in the group of their fingerprint",
	[`(select stored.project_id, stored.fingerprint from ${OF_FINGERPRINT}
		group by stored.project_id, stored.fingerprint having count(*) > max(counted.total_count)) as too_many`]:
		"fingerprints of errors have more occurrences than were counted",
	[`${OF_FINGERPRINT} where stored.start_micros not between counted.first_seen and counted.last_seen`]:
		"occurrences of errors were seen before the first or after the last of their fingerprint",
	[`error_groups where total_count <> (
		select coalesce(sum(total_count), 0) from error_group_fingerprints where group_id = error_groups.id)`]:
		"groups of errors have another total than their fingerprints",
	[`error_groups where not exists (
		select 1 from error_group_fingerprints as own
		where own.project_id = error_groups.project_id and own.fingerprint = error_groups.fingerprint
			and own.group_id = error_groups.id)`]: "groups of errors do not have their own fingerprint",
};
