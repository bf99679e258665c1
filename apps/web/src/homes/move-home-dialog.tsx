import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { homesTexts as TEXTS } from "../texts/homes-en.ts";
import { Dialog } from "../ui/dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field } from "../ui/input.tsx";
import { Select } from "../ui/select.tsx";
import { LIBRARY, useWritableHomes } from "./use-writable-homes.ts";
import { isWiderAccess, WiderAccess } from "./wider-access.tsx";

/** A dataset or prompt, and how it is moved. */
export interface Moved {
	readonly name: string;
	/** Undefined for the library. */
	readonly projectId: string | undefined;
	/** @param project null for the library */
	move(project: string | null, isWiderAllowed: boolean): Promise<unknown>;
	/** Reads again what has changed. */
	refresh(): Promise<unknown>;
}

/** Asks where something is to live, and once more when more people would see it there. */
export function MoveHomeDialog({ moved, onClose }: { moved: Moved; onClose: () => void }): ReactNode {
	const { name, projectId } = moved;
	const queries = useQueryClient();
	const { homes, error } = useWritableHomes();
	const choices = homes.filter(({ value }) => value !== (projectId ?? LIBRARY));
	const [chosen, setChosen] = useState("");
	const move = useMutation({
		mutationFn: (isWiderAllowed: boolean) => moved.move(chosen === LIBRARY ? null : chosen, isWiderAllowed),
		onSuccess: async () => {
			await moved.refresh();
			await queries.invalidateQueries({ queryKey: ["experiments"] });
			onClose();
		},
	});
	if (isWiderAccess(move.error)) {
		return (
			<Dialog open onOpenChange={onClose} title={TEXTS.moveTitle(name)}>
				<WiderAccess
					error={move.error}
					isPending={move.isPending}
					onAllow={() => move.mutate(true)}
					onBack={() => move.reset()}
				/>
			</Dialog>
		);
	}
	return (
		<FormDialog
			title={TEXTS.moveTitle(name)}
			action={TEXTS.move}
			isPending={move.isPending || chosen === ""}
			error={move.error ?? error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (chosen !== "") move.mutate(false);
			}}
		>
			<p className="text-muted">{TEXTS.explain}</p>
			<Field label={TEXTS.destination}>
				<Select value={chosen} onChange={setChosen} choices={[{ value: "", label: TEXTS.choose }, ...choices]} />
			</Field>
		</FormDialog>
	);
}
