import type { ReviewAgreement, ReviewQuestionAgreement, ReviewQueueAgreement } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Matrix } from "./confusion-matrix.tsx";
import { Estimate } from "./estimate.tsx";
import { agreementQuery } from "./figures.ts";
import { reviewerName } from "./progress-page.tsx";

const route = getRouteApi("/reviews/$queue/agreement");
const TEXTS = reviewTexts.agreement;
const STATISTICS = ["percent_agreement", "cohens_kappa", "fleiss_kappa", "krippendorffs_alpha"] as const;

/** How far reviewers agree, by question and over whole reviews. */
export function AgreementPage(): ReactNode {
	const { queue: id } = route.useParams();
	const { data: queue } = useQuery(queueQuery(id));
	const query = useQuery(agreementQuery(id));
	usePageTitle(reviewTexts.tab.agreement, queue?.name ?? reviewTexts.title);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-5xl flex-col gap-6 p-4">
				<Loaded data={query.data} query={query}>
					{(data) =>
						data.items === 0 ? <EmptyState title={TEXTS.none} text={TEXTS.noneText} /> : <Figures data={data} />
					}
				</Loaded>
			</div>
		</div>
	);
}

function Figures({ data }: { data: ReviewQueueAgreement }): ReactNode {
	const rows: readonly (readonly [string, ReviewAgreement])[] = [
		...(data.overall === null ? [] : [[TEXTS.overall, data.overall] as const]),
		...data.questions.map(({ name, agreement }) => [name, agreement] as const),
	];
	return (
		<>
			{data.disagreements_left_out > 0 && (
				<p className="rounded bg-warn-soft px-3 py-2 text-warn">{TEXTS.leftOut(data.disagreements_left_out)}</p>
			)}
			<div className="overflow-x-auto">
				<table aria-label={reviewTexts.tab.agreement} className="w-full border-collapse">
					<thead>
						<tr className="border-line border-b text-left text-muted text-sm">
							<th scope="col" className="px-2 py-1.5 font-normal">
								{TEXTS.question}
							</th>
							<th scope="col" className="px-2 py-1.5 text-right font-normal">
								{TEXTS.answers}
							</th>
							{STATISTICS.map((statistic) => (
								<th key={statistic} scope="col" className="px-2 py-1.5 text-right font-normal">
									{TEXTS.statistic[statistic]}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{rows.map(([name, agreement]) => (
							<tr key={name} className="border-line border-b align-top">
								<th scope="row" className="px-2 py-1.5 text-left font-medium">
									{name}
								</th>
								<td className="px-2 py-1.5 text-right tabular-nums">
									{TEXTS.answersOf(agreement.answers, agreement.items)}
								</td>
								{STATISTICS.map((statistic) => (
									<td key={statistic} className="px-2 py-1.5 text-right tabular-nums">
										<Estimate estimate={agreement[statistic]} isShare={statistic === "percent_agreement"} />
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
			<p className="text-muted text-sm">{TEXTS.interval}</p>
			{data.questions.map((question) => (
				<Matrices key={question.annotation_config_id} question={question} />
			))}
		</>
	);
}

/** Who answered what where somebody else answered otherwise. */
function Matrices({ question }: { question: ReviewQuestionAgreement }): ReactNode {
	const { name, reviewer_pairs: pairs, against_gold: gold, reviewer_pairs_left_out: leftOut } = question;
	if (pairs.length + gold.length === 0) return null;
	return (
		<details>
			<summary className="cursor-pointer font-semibold">{TEXTS.matrices(name)}</summary>
			<div className="mt-2 flex flex-wrap gap-6">
				{pairs.map(({ reviewers: [first, second], matrix, cohens_kappa: kappa }) =>
					first === undefined || second === undefined ? null : (
						<Matrix
							key={`${first.id} ${second.id}`}
							rows={reviewerName(first)}
							columns={reviewerName(second)}
							matrix={matrix}
							kappa={kappa}
						/>
					),
				)}
				{gold.map(({ reviewer, matrix, cohens_kappa: kappa }) => (
					<Matrix
						key={`gold ${reviewer.id}`}
						rows={TEXTS.gold}
						columns={reviewerName(reviewer)}
						matrix={matrix}
						kappa={kappa}
					/>
				))}
			</div>
			{leftOut > 0 && <p className="text-muted text-sm">{TEXTS.pairsLeftOut(leftOut)}</p>}
		</details>
	);
}
