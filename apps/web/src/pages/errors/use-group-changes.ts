import type { ErrorGroup, ErrorGroupChangeInput } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { changeGroups, restoringChange } from "./queries.ts";

/** Groups as they were before a change. */
interface Undoable {
	readonly groups: readonly ErrorGroup[];
	readonly change: ErrorGroupChangeInput;
}

export interface GroupChanges {
	readonly change: (groups: readonly ErrorGroup[], change: ErrorGroupChangeInput) => void;
	/** Takes the last change back that was not taken back yet. */
	readonly undo: () => void;
	readonly canUndo: boolean;
	readonly isPending: boolean;
	readonly error: Error | null;
	/** What was done last, in words. */
	readonly said: string | undefined;
}

/** One is made after the other, so that keys pressed in quick succession all count. */
const IN_TURN = { id: "error-group-changes" };

/** Changes states and assignees of groups, and takes that back. */
export function useGroupChanges(): GroupChanges {
	const queries = useQueryClient();
	const done = useRef<Undoable[]>([]);
	const [canUndo, setCanUndo] = useState(false);
	const [said, say] = useState<string>();
	const [error, setError] = useState<Error | null>(null);
	const finish = (text: string) => {
		setCanUndo(done.current.length > 0);
		say(text);
		for (const key of ["error-groups", "newest-error-groups", "error-group", "error-assignees"])
			void queries.invalidateQueries({ queryKey: [key] });
	};
	const change = useMutation({
		scope: IN_TURN,
		onError: setError,
		mutationFn: async ({ groups, change }: Undoable) => {
			const ids = groups.map(({ id }) => id);
			return await changeGroups(ids, change);
		},
		onSuccess: (left, made) => {
			done.current.push(made);
			finish(sayDone(made, left));
		},
	});
	const undo = useMutation({
		scope: IN_TURN,
		onError: setError,
		mutationFn: async () => {
			const last = done.current.at(-1);
			return last && (await restore(last));
		},
		onSuccess: (left) => {
			if (left === undefined) return say(TEXTS.nothingToUndo);
			done.current.pop();
			finish([TEXTS.done.undone, ...(left > 0 ? [TEXTS.done.left(left)] : [])].join(" "));
		},
	});
	return {
		change: (groups, wanted) => {
			if (groups.length === 0) return;
			setError(null);
			change.mutate({ groups, change: wanted });
		},
		undo: () => {
			setError(null);
			undo.mutate();
		},
		canUndo,
		isPending: change.isPending || undo.isPending,
		error,
		said,
	};
}

/** Gives groups back what they had. @returns how many could not be changed */
async function restore({ groups, change }: Undoable): Promise<number> {
	let left = 0;
	for (const same of Map.groupBy(groups, (group) => JSON.stringify(restoreOf(group, change))).values()) {
		const [first] = same;
		if (first === undefined) continue;
		const ids = same.map(({ id }) => id);
		left += await changeGroups(ids, restoreOf(first, change));
	}
	return left;
}

function restoreOf(group: ErrorGroup, { state }: ErrorGroupChangeInput): ErrorGroupChangeInput {
	return state === undefined ? { assignee_id: group.assignee?.id ?? null } : restoringChange(group);
}

function sayDone({ groups, change }: Undoable, left: number): string {
	const text = TEXTS.done[change.state ?? "assigned"](groups.length - left);
	return left > 0 ? `${text} ${TEXTS.done.left(left)}` : text;
}
