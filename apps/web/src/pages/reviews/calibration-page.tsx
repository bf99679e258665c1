import type { ReviewAnnotationName, ReviewQueue } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { present } from "../../lib/search-params.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/input.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { CalibrationFigures } from "./calibration-figures.tsx";
import { DifferenceList } from "./difference-list.tsx";
import { annotationNamesQuery, type Calibrated, calibrationPages } from "./figures.ts";
import type { CalibrationSearch } from "./search.ts";

const route = getRouteApi("/reviews/$queue/calibration");
const TEXTS = reviewTexts.calibration;
const GOLDS = ["all", "decisions"] as const;

/** How far annotations, such as those of a judge, are as the gold answers of a queue. */
export function CalibrationPage(): ReactNode {
	const { queue: id } = route.useParams();
	const { data: queue } = useQuery(queueQuery(id));
	const query = useQuery(annotationNamesQuery(id));
	usePageTitle(reviewTexts.tab.calibration, queue?.name ?? reviewTexts.title);
	if (queue === undefined) return <SkeletonRows rows={12} />;
	const hasQuestions = queue.questions.some(isComparable);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-5xl flex-col gap-6 p-4">
				{hasQuestions ? (
					<Loaded data={query.data} query={query}>
						{(names) =>
							names.length === 0 ? (
								<EmptyState title={TEXTS.noNames} text={TEXTS.noNamesText} />
							) : (
								<Chosen queue={queue} names={names} />
							)
						}
					</Loaded>
				) : (
					<EmptyState title={TEXTS.textsOnly} text={TEXTS.textsOnlyText} />
				)}
			</div>
		</div>
	);
}

function isComparable({ type }: ReviewQueue["questions"][number]): boolean {
	return type !== "FREEFORM";
}

function Chosen({ queue, names }: { queue: ReviewQueue; names: readonly ReviewAnnotationName[] }): ReactNode {
	const compared = whatIsCompared(queue, names, route.useSearch());
	return (
		<>
			<Choice queue={queue} names={names} compared={compared} />
			<Comparison queue={queue} compared={compared} />
		</>
	);
}

/** What the address says; without it the question of the annotations' name, else the first one. */
function whatIsCompared(
	{ questions }: ReviewQueue,
	names: readonly ReviewAnnotationName[],
	search: CalibrationSearch,
): Calibrated {
	const comparable = questions.filter(isComparable);
	const name =
		search.annotation ?? names.find((each) => comparable.some((question) => question.name === each.name))?.name;
	const annotation_name = name ?? names[0]?.name ?? "";
	const question =
		comparable.find((each) => each.annotation_config_id === search.question) ??
		comparable.find((each) => each.name === annotation_name) ??
		comparable[0];
	return { annotation_name, annotation_config_id: question?.annotation_config_id ?? "", gold: search.gold ?? "all" };
}

function Choice({
	queue,
	names,
	compared,
}: {
	queue: ReviewQueue;
	names: readonly ReviewAnnotationName[];
	compared: Calibrated;
}): ReactNode {
	const navigate = route.useNavigate();
	const change = (next: CalibrationSearch) =>
		void navigate({ search: (before) => present({ ...before, ...next }), replace: true });
	const questions = queue.questions.filter(isComparable);
	const isListed = names.some(({ name }) => name === compared.annotation_name);
	return (
		<fieldset className="flex flex-wrap items-start gap-x-6 gap-y-3">
			<legend className="sr-only">{TEXTS.choose}</legend>
			<Field label={TEXTS.judge}>
				<Select
					value={compared.annotation_name}
					onChange={(annotation) => change({ annotation })}
					choices={[
						...(isListed ? [] : [{ value: compared.annotation_name, label: compared.annotation_name }]),
						...names.map(({ name, items }) => ({ value: name, label: TEXTS.judgeOf(name, items) })),
					]}
					className="max-w-full"
				/>
			</Field>
			{questions.length > 1 && (
				<Field label={TEXTS.question}>
					<Select
						value={compared.annotation_config_id}
						onChange={(question) => change({ question })}
						choices={questions.map(({ annotation_config_id: value, name: label }) => ({ value, label }))}
						className="max-w-full"
					/>
				</Field>
			)}
			<Field label={TEXTS.gold}>
				<Select
					value={compared.gold}
					onChange={(gold) => change({ gold: gold === "all" ? undefined : gold } as CalibrationSearch)}
					choices={GOLDS.map((value) => ({ value, label: TEXTS.golds[value] }))}
					className="max-w-full"
				/>
			</Field>
		</fieldset>
	);
}

function Comparison({ queue, compared }: { queue: ReviewQueue; compared: Calibrated }): ReactNode {
	const query = useInfiniteQuery(calibrationPages(queue.id, compared));
	return (
		<Loaded data={query.data} query={query}>
			{({ pages }) => {
				const [first] = pages;
				if (first === undefined || first.data.compared === 0)
					return <EmptyState title={TEXTS.none} text={TEXTS.noneText(compared.annotation_name)} />;
				return (
					<>
						<CalibrationFigures figures={first.data} />
						<DifferenceList
							queueId={queue.id}
							compared={compared}
							differences={pages.flatMap((page) => page.data.differences)}
							query={query}
						/>
					</>
				);
			}}
		</Loaded>
	);
}
