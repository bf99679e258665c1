import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { projectQuery } from "../../lib/projects.ts";
import { useTraceEvents } from "../../lib/trace-events.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { WaitingForSpan } from "../../ui/waiting-for-span.tsx";

export interface NoRowsProps {
	readonly isFiltered: boolean;
	readonly onClearFilters: () => void;
	/** Absent when all time is shown already. */
	readonly onAllTime: (() => void) | undefined;
}

/** Shown for a list without rows, because of the filters or the time range, in a project that has traces. */
export function NoRows({ isFiltered, onClearFilters, onAllTime }: NoRowsProps): ReactNode {
	if (isFiltered) {
		return (
			<EmptyState
				title={texts.traces.noMatch}
				text={onAllTime ? texts.traces.noMatchText : texts.traces.noMatchAllTimeText}
				actions={
					<>
						<Button look="primary" onClick={onClearFilters}>
							{texts.filter.clear}
						</Button>
						{onAllTime && <Button onClick={onAllTime}>{texts.traces.showAllTime}</Button>}
					</>
				}
			/>
		);
	}
	return (
		<EmptyState
			title={texts.traces.noneInRange}
			text={texts.traces.noneInRangeText}
			actions={
				onAllTime && (
					<Button look="primary" onClick={onAllTime}>
						{texts.traces.showAllTime}
					</Button>
				)
			}
		/>
	);
}

/** Shown for a project without traces; the list replaces it when a trace arrives. */
export function FirstTrace({ project }: { project: string }): ReactNode {
	const queries = useQueryClient();
	const { data } = useQuery(projectQuery(project));
	useTraceEvents(project, true, () => {
		void queries.invalidateQueries({ queryKey: ["has-traces", project] });
		void queries.invalidateQueries({ queryKey: ["rows", project] });
		void queries.invalidateQueries({ queryKey: ["metrics", project] });
	});
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<WaitingForSpan title={texts.waiting.projectTitle} project={data?.name ?? project} />
		</div>
	);
}
