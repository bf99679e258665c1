import { useMutation, useQueryClient } from "@tanstack/react-query";
import { showRun } from "../lib/shown-runs.ts";
import { type RunAction, runQuery, startRun } from "./queries.ts";
import type { Selected } from "./selection.ts";

export interface ActionDialogProps {
	readonly selected: Selected;
	/** Undefined until it is known. */
	readonly count: number | undefined;
	readonly onStarted: () => void;
	readonly onClose: () => void;
}

interface MayWiden {
	/** Given when the server was asked without it, and asked back. */
	readonly isWiderAllowed?: boolean;
}

/** Starts a run. @param toAction makes what the action needs first, such as a dataset */
export function useStart<T extends object>(
	{ selected, onStarted }: Pick<ActionDialogProps, "selected" | "onStarted">,
	toAction: (given: T) => RunAction | Promise<RunAction>,
) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: async (given: T & MayWiden) =>
			await startRun(selected, await toAction(given), given.isWiderAllowed === true),
		onSuccess: (run) => {
			queries.setQueryData(runQuery(run.id).queryKey, run);
			showRun(run.id);
			onStarted();
		},
	});
}
