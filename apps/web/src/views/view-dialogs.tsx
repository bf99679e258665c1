import type { View } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../lib/api.ts";
import { fieldErrors } from "../lib/field-errors.ts";
import { texts } from "../texts/en.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Field, Input } from "../ui/input.tsx";
import { Select } from "../ui/select.tsx";
import type { ListAddress } from "./list-address.ts";
import { toState } from "./list-state.ts";
import { withoutView, withView } from "./open-view.ts";
import { defaultViewsQuery, refreshViews } from "./queries.ts";
import type { ListView } from "./use-list-view.ts";
import { useViewRights } from "./use-view-rights.ts";
import { viewsTexts } from "./views-en.ts";

const TEXTS = viewsTexts.dialog;
const MAX_NAME = 200;

/** What is asked about a view. */
export type ViewDialog = { readonly kind: "new" } | { readonly kind: "edit" | "delete"; readonly view: View };

export interface ViewDialogsProps {
	readonly dialog: ViewDialog;
	readonly list: ListView;
	/** What is saved: the address with the columns of this browser. */
	readonly shown: ListAddress;
	readonly onChange: (address: ListAddress, replace?: boolean) => void;
	readonly onClose: () => void;
}

export function ViewDialogs(props: ViewDialogsProps): ReactNode {
	const { dialog } = props;
	if (dialog.kind === "delete") return <DeleteDialog {...props} view={dialog.view} />;
	return <SaveDialog {...props} view={dialog.kind === "edit" ? dialog.view : undefined} />;
}

/** @param view the one that is renamed or shared; a new one when absent */
function SaveDialog({
	view,
	list,
	shown,
	onChange,
	onClose,
}: ViewDialogsProps & { view: View | undefined }): ReactNode {
	const { project, page, address } = list;
	const queries = useQueryClient();
	const { hasPrivate, mayHide } = useViewRights(project);
	const [name, setName] = useState(view?.name ?? "");
	const [visibility, setVisibility] = useState<View["visibility"]>(view?.visibility ?? "shared");
	const [scope, setScope] = useState<"here" | "everywhere">("here");
	const [isMissing, setMissing] = useState(false);
	const offersPrivate = hasPrivate && (view === undefined || view.visibility === "private" || mayHide(view));
	const save = useMutation({
		mutationFn: () => {
			const named = { name: name.trim(), ...(offersPrivate ? { visibility } : {}) };
			if (view) return api.patch("/v1/views/{view_id}", { path: { view_id: view.id }, body: named });
			const where = { page, project: scope === "here" ? project : null };
			return api.post("/v1/views", { body: { ...named, ...where, state: toState(shown) } });
		},
		onSuccess: async ({ data }) => {
			await refreshViews(queries, data);
			if (!view) onChange(withView(address, data), true);
			onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "") save.mutate();
	};
	const answer = fieldErrors(save.error, { name: [] });
	const problem = isMissing ? TEXTS.nameMissing : answer.at.name;
	return (
		<FormDialog
			title={view ? TEXTS.editTitle : TEXTS.newTitle}
			action={texts.action.save}
			isPending={save.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.name} hint={view ? undefined : TEXTS.what} error={problem}>
				<Input
					value={name}
					maxLength={MAX_NAME}
					aria-invalid={problem !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			{offersPrivate && (
				<Field label={TEXTS.visibility}>
					<Select
						value={visibility}
						onChange={setVisibility}
						choices={[
							{ value: "shared", label: TEXTS.shared },
							{ value: "private", label: TEXTS.private },
						]}
					/>
				</Field>
			)}
			{!view && (
				<Field label={TEXTS.scope}>
					<Select
						value={scope}
						onChange={setScope}
						choices={[
							{ value: "here", label: TEXTS.here },
							{ value: "everywhere", label: TEXTS.everywhere },
						]}
					/>
				</Field>
			)}
		</FormDialog>
	);
}

function DeleteDialog({ view, list, onChange, onClose }: ViewDialogsProps & { view: View }): ReactNode {
	const queries = useQueryClient();
	const { data: defaults } = useQuery(defaultViewsQuery(list.project));
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/views/{view_id}", { path: { view_id: view.id } }),
		onSuccess: async () => {
			onChange(withoutView(list), true);
			await refreshViews(queries);
			onClose();
		},
	});
	return (
		<ConfirmDialog
			title={viewsTexts.remove.title(view.name)}
			action={viewsTexts.remove.action}
			mutation={remove}
			onClose={onClose}
		>
			<p>{viewsTexts.remove.text}</p>
			{defaults?.[view.page] === view.id && <p>{viewsTexts.remove.isDefault}</p>}
		</ConfirmDialog>
	);
}
