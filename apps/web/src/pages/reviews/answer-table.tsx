import type { ReviewAnswer, ReviewItem, ReviewQuestion, ReviewQueue } from "@spanward/client";
import type { ReactNode } from "react";
import { AnnotationValue } from "../../annotating/annotation-value.tsx";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { TextContent } from "../../ui/content/text-content.tsx";
import { Key } from "../../ui/keys.tsx";

const TEXTS = reviewTexts.decide;

interface AnswerTableProps {
	readonly queue: ReviewQueue;
	readonly item: ReviewItem;
	/** Takes the answers of the review at this place among those with answers; absent for who does not decide. */
	readonly onTake: ((index: number) => boolean) | undefined;
	readonly isBusy: boolean;
}

/** What reviewers answered, a column each, with their explanations, and what was decided. */
export function AnswerTable({ queue, item, onTake, isBusy }: AnswerTableProps): ReactNode {
	const answered = item.reviews.flatMap(({ reviewer, answers }, index) =>
		answers === null ? [] : [{ name: nameOf(reviewer, index), answers }],
	);
	const skipped = item.reviews.filter(({ status }) => status === "skipped");
	const columns = [
		...answered,
		...(item.decision === null ? [] : [{ name: TEXTS.decision, answers: item.decision.answers }]),
	];
	if (columns.length === 0 && skipped.length === 0)
		return <p className="px-3 py-4 text-muted">{item.turns_done > 0 ? TEXTS.hidden : TEXTS.noAnswers}</p>;
	return (
		<>
			{columns.length > 0 && (
				<div className="overflow-x-auto">
					<table aria-label={TEXTS.answers} className="w-full border-collapse">
						<thead>
							<tr className="border-line border-b text-left">
								<th scope="col" className="px-3 py-1.5 font-normal text-muted text-sm">
									{TEXTS.question}
								</th>
								{columns.map(({ name }, index) => (
									<th key={name} scope="col" className="min-w-28 px-3 py-1.5 font-medium">
										<span className="block truncate">{name}</span>
										{onTake && index < answered.length && (
											<Button disabled={isBusy} onClick={() => onTake(index)} className="mt-1">
												<span className="sr-only">{TEXTS.takeOf(name)}</span>
												<span aria-hidden>{TEXTS.take}</span>
												<span aria-hidden className="pointer-coarse:hidden">
													<Key name={String(index + 1)} />
												</span>
											</Button>
										)}
									</th>
								))}
							</tr>
						</thead>
						<tbody>
							{queue.questions.map((question) => {
								const { annotation_config_id: id, name } = question;
								const row = columns.map(({ answers }) => answers.find((each) => each.annotation_config_id === id));
								return (
									<tr
										key={id}
										className={classNames("border-line border-b align-top", differ(question, row) && "bg-warn-soft")}
									>
										<th scope="row" className="px-3 py-1.5 text-left font-normal">
											{name}
											{differ(question, row) && <span className="sr-only">{` ${TEXTS.differs}`}</span>}
										</th>
										{row.map((answer, index) => (
											<td key={columns[index]?.name} className="px-3 py-1.5">
												<OneAnswer answer={answer} />
											</td>
										))}
									</tr>
								);
							})}
						</tbody>
					</table>
				</div>
			)}
			{skipped.length > 0 && (
				<ul aria-label={TEXTS.skips} className="px-3 py-2 text-muted">
					{skipped.map(({ reviewer, reason, finished_at }, index) => (
						<li key={`${finished_at} ${index}`}>
							{TEXTS.skippedBy(reviewer?.username ?? TEXTS.somebody, reason ?? "")}
						</li>
					))}
				</ul>
			)}
		</>
	);
}

/** Whether labels differ, or numbers by more than the tolerance. */
function differ({ type, tolerance }: ReviewQuestion, row: readonly (ReviewAnswer | undefined)[]): boolean {
	if (type === "CATEGORICAL") return new Set(row.flatMap((answer) => answer?.label ?? [])).size > 1;
	const scores = row.flatMap((answer) => answer?.score ?? []);
	return Math.max(...scores) - Math.min(...scores) > tolerance;
}

function nameOf(reviewer: ReviewItem["reviews"][number]["reviewer"], index: number): string {
	return reviewer?.username ?? TEXTS.nameless(index + 1);
}

function OneAnswer({ answer }: { answer: ReviewAnswer | undefined }): ReactNode {
	if (answer === undefined) return <span className="text-muted">{TEXTS.noAnswer}</span>;
	return (
		<>
			<AnnotationValue result={answer} />
			{answer.explanation !== null && (
				<TextContent text={answer.explanation} plain className="mt-1 text-sm [overflow-wrap:anywhere]" />
			)}
		</>
	);
}
