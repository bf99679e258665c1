import type { EndUser } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { analyticsQuery } from "../../analytics/queries.ts";
import { toRange } from "../../analytics/search.ts";
import { formatScore } from "../../annotating/annotation-value.tsx";
import { formatInteger, UNKNOWN } from "../../lib/format.ts";
import { USERS_RANGE } from "../../lib/range-names.ts";
import { endUsersTexts } from "../../texts/end-users-en.ts";
import { Table } from "../../ui/table.tsx";
import type { UserPart } from "./user-page.tsx";
import { RowsSkeleton } from "./user-questions.tsx";

const TEXTS = endUsersTexts.user;

/** The mean scores of a user's traces, beside those of the project. */
export function Scores({
	project,
	range,
	zone,
	scores,
}: UserPart & { scores: EndUser["scores"] | undefined }): ReactNode {
	const names = scores?.map(({ name }) => name) ?? [];
	const { data } = useQuery({
		...analyticsQuery(
			project,
			{
				of: "annotations",
				measure: ["score_avg"],
				group_by: ["annotation_name"],
				annotation_name: names,
				...toRange(range, USERS_RANGE),
			},
			zone,
		),
		enabled: names.length > 0,
	});
	const meanOf = (name: string) => data?.series.find(({ group }) => group[0]?.value === name)?.totals["score_avg"];
	return (
		<section aria-label={TEXTS.scores} className="min-w-0">
			<h2 className="mb-2 font-semibold text-lg">{TEXTS.scores}</h2>
			{scores === undefined ? (
				<RowsSkeleton />
			) : scores.length === 0 ? (
				<p className="text-muted">{TEXTS.noScores}</p>
			) : (
				<Table
					label={TEXTS.scores}
					rows={scores}
					rowKey={({ name }) => name}
					columns={[
						{ key: "name", title: TEXTS.score, cell: ({ name }) => name },
						{ key: "mean", title: TEXTS.mean, align: "right", cell: ({ average }) => formatScore(average) },
						{
							key: "project",
							title: TEXTS.projectMean,
							align: "right",
							cell: ({ name }) => {
								const mean = meanOf(name);
								return typeof mean === "number" ? formatScore(mean) : UNKNOWN;
							},
						},
						{ key: "count", title: TEXTS.of, align: "right", cell: ({ count }) => formatInteger(count) },
					]}
				/>
			)}
		</section>
	);
}
