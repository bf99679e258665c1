import { useQuery } from "@tanstack/react-query";
import CircleCheck from "lucide-react/icons/circle-check";
import type { ReactNode } from "react";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { texts } from "../../texts/en.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { spansOfDayQuery } from "./queries.ts";
import type { ErrorsSearch } from "./search.ts";

/** In place of an empty list; says what came lately, so that silence is not taken for health. */
export function NoErrors({
	project,
	search,
	onReset,
}: {
	project: string;
	search: ErrorsSearch & TimeRangeSearch;
	onReset: () => void;
}): ReactNode {
	const { state = "open", saved: _saved, sort: _sort, from = "all", to, ...filter } = search;
	const isFiltered = Object.values(filter).some((value) => value !== undefined);
	const { data: spans } = useQuery(spansOfDayQuery(project));
	if (isFiltered) {
		return (
			<EmptyState
				title={TEXTS.noMatch}
				actions={
					<Button look="primary" onClick={onReset}>
						{texts.filter.clear}
					</Button>
				}
			/>
		);
	}
	return (
		<EmptyState
			icon={<CircleCheck size={24} aria-hidden />}
			title={TEXTS.none[state]}
			text={state === "open" && TEXTS.noneText}
			actions={(from !== "all" || to) && <Button onClick={onReset}>{texts.traces.showAllTime}</Button>}
		>
			{spans !== undefined && <p className="text-muted">{TEXTS.spansOfDay(spans)}</p>}
		</EmptyState>
	);
}
