import type { Dataset } from "@spanward/client";
import { useSearch } from "@tanstack/react-router";
import Download from "lucide-react/icons/download";
import Ellipsis from "lucide-react/icons/ellipsis";
import Pencil from "lucide-react/icons/pencil";
import Trash from "lucide-react/icons/trash-2";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { textParam } from "../../lib/search-params.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu, MenuItem, MenuLabel } from "../../ui/menu.tsx";
import { DeleteDatasetDialog, EditDatasetDialog } from "./dataset-dialogs.tsx";

const TEXTS = dataTexts.dataset;

const DOWNLOADS = [
	["csv", "/v1/datasets/{id}/csv"],
	["jsonl", "/v1/datasets/{id}/jsonl"],
	["openai_ft", "/v1/datasets/{id}/jsonl/openai_ft"],
	["openai_evals", "/v1/datasets/{id}/jsonl/openai_evals"],
] as const;

/** Downloads of the shown version. */
export function DownloadMenu({ dataset }: { dataset: Dataset }): ReactNode {
	const search: { version?: unknown } = useSearch({ strict: false });
	const version = textParam(search.version);
	return (
		<Menu
			align="end"
			trigger={
				<IconButton label={TEXTS.download}>
					<Download size={15} aria-hidden />
				</IconButton>
			}
		>
			{version !== undefined && <MenuLabel>{TEXTS.downloadVersion}</MenuLabel>}
			{DOWNLOADS.map(([format, path]) => {
				const url = api.url(path, { path: { id: dataset.id }, query: { version_id: version } });
				return (
					<MenuItem key={format} render={<a href={url} download />}>
						{TEXTS.downloads[format]}
					</MenuItem>
				);
			})}
		</Menu>
	);
}

export function DatasetMenu({ dataset }: { dataset: Dataset }): ReactNode {
	const [dialog, setDialog] = useState<"edit" | "delete">();
	const close = () => setDialog(undefined);
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.actions}>
						<Ellipsis size={15} aria-hidden />
					</IconButton>
				}
			>
				<MenuItem icon={<Pencil size={14} aria-hidden />} onClick={() => setDialog("edit")}>
					{TEXTS.edit}
				</MenuItem>
				<MenuItem icon={<Trash size={14} aria-hidden />} danger onClick={() => setDialog("delete")}>
					{TEXTS.delete}
				</MenuItem>
			</Menu>
			{dialog === "edit" && <EditDatasetDialog dataset={dataset} onClose={close} />}
			{dialog === "delete" && <DeleteDatasetDialog dataset={dataset} onClose={close} />}
		</>
	);
}
