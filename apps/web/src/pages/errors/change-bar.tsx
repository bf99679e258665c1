import type { ErrorGroup, ErrorGroupChangeInput } from "@spanward/client";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import type { GroupChanges } from "./use-group-changes.ts";

interface ChangeBarProps {
	readonly chosen: readonly ErrorGroup[];
	readonly state: ErrorGroup["state"];
	readonly changes: GroupChanges;
	readonly onChange: (change: ErrorGroupChangeInput) => void;
	readonly onAssign: () => void;
	readonly onClear: () => void;
}

/** The foot of the inbox: what can be done with the selected groups, and what was done last. */
export function ChangeBar({ chosen, state, changes, onChange, onAssign, onClear }: ChangeBarProps): ReactNode {
	const { said, error, canUndo, isPending } = changes;
	if (chosen.length === 0 && said === undefined && error === null) return null;
	return (
		<section
			aria-label={TEXTS.selection}
			className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t bg-sunken px-3 py-1.5"
		>
			{chosen.length > 0 && (
				<>
					<span className="font-medium">{TEXTS.selected(chosen.length)}</span>
					<IconButton label={TEXTS.action.clear} shortcut="Esc" onClick={onClear}>
						<X size={16} aria-hidden />
					</IconButton>
					{state !== "open" && (
						<Button disabled={isPending} onClick={() => onChange({ state: "open" })}>
							{TEXTS.action.reopen}
						</Button>
					)}
					{state !== "resolved" && (
						<Button disabled={isPending} onClick={() => onChange({ state: "resolved" })}>
							{TEXTS.action.resolve}
						</Button>
					)}
					{state !== "ignored" && (
						<Button disabled={isPending} onClick={() => onChange({ state: "ignored" })}>
							{TEXTS.action.ignore}
						</Button>
					)}
					<Button disabled={isPending} onClick={onAssign}>
						{TEXTS.action.assign}
					</Button>
				</>
			)}
			<FormError error={error} />
			<span role="status" className="ml-auto text-muted">
				{said}
			</span>
			{canUndo && (
				<Button look="quiet" disabled={isPending} onClick={changes.undo}>
					{TEXTS.action.undo}
				</Button>
			)}
		</section>
	);
}
