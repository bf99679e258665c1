import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { isWiderAccess, WiderAccessDialog } from "../homes/wider-access.tsx";
import { mayEdit } from "../lib/project-role.ts";
import { projectPages } from "../lib/projects.ts";
import { selectingTexts } from "../texts/selecting-en.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field } from "../ui/input.tsx";
import { useAllPages } from "../ui/list-pages.tsx";
import { Select } from "../ui/select.tsx";
import { type ActionDialogProps, useStart } from "./use-start.ts";

const TEXTS = selectingTexts.move;

/** Asks for the project that traces are moved to. */
export function MoveDialog(props: ActionDialogProps): ReactNode {
	const { selected, onClose } = props;
	// One that was made a moment ago is among them.
	const query = useInfiniteQuery({ ...projectPages(undefined), refetchOnMount: "always" });
	useAllPages(query, true);
	const others = (query.data?.pages.flatMap((page) => page.data) ?? []).filter(
		({ id, name, own_role }) => id !== selected.project && name !== selected.project && mayEdit(own_role),
	);
	const [chosen, setChosen] = useState("");
	const start = useStart(props, ({ destination }: { destination: string }) => ({
		action: "move",
		destination_project_identifier: destination,
	}));
	if (isWiderAccess(start.error)) return <WiderAccessDialog title={TEXTS.title} asked={start} onClose={onClose} />;
	return (
		<FormDialog
			title={TEXTS.title}
			action={selectingTexts.action.move}
			isPending={start.isPending || chosen === ""}
			error={start.error ?? query.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (chosen !== "") start.mutate({ destination: chosen });
			}}
		>
			<p className="text-muted">{TEXTS.explain}</p>
			<Field label={TEXTS.project}>
				<Select
					value={chosen}
					onChange={setChosen}
					choices={[{ value: "", label: TEXTS.choose }, ...others.map(({ id, name }) => ({ value: id, label: name }))]}
				/>
			</Field>
		</FormDialog>
	);
}
