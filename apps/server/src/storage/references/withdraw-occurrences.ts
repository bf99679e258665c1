/**
 * Statements that take the occurrences of a trace out of their groups, as if they had never been there: it is in another
 * project, where they will be found anew. In this order, each with one parameter.
 * @param trace the parameter, its row number: `?` or `$1`
 */
export function withdrawOccurrences(trace: "?" | "$1"): readonly string[] {
	const withdrawn = (columns: string) => `(
		select ${columns}, count(*) as count from error_occurrences where trace_row_id = ${trace} group by ${columns}
	) as withdrawn`;
	return [
		`update error_group_fingerprints set total_count = total_count - withdrawn.count
		from ${withdrawn("project_id, fingerprint")}
		where error_group_fingerprints.project_id = withdrawn.project_id
			and error_group_fingerprints.fingerprint = withdrawn.fingerprint`,
		`update error_groups set total_count = total_count - withdrawn.count
		from ${withdrawn("group_id")} where error_groups.id = withdrawn.group_id`,
		`delete from error_occurrences where trace_row_id = ${trace}`,
	];
}
