import { type ReactNode, type SyntheticEvent, useState } from "react";
import { HomeField } from "../../../homes/home-field.tsx";
import { useNewHome } from "../../../homes/use-new-home.ts";
import { formatBytes } from "../../../lib/format.ts";
import { dataTexts } from "../../../texts/data-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { ColumnTable } from "./column-table.tsx";
import { type Column, changeColumn, guessColumns } from "./columns.ts";
import { PreviewTable } from "./preview-table.tsx";
import type { ReadFile } from "./read-file.ts";
import type { UploadAction } from "./send-upload.ts";
import type { UploadState } from "./use-upload.ts";

const TEXTS = dataTexts.upload;

export interface UploadFormProps {
	readonly file: ReadFile;
	readonly dataset: { readonly id: string; readonly name: string } | undefined;
	readonly upload: UploadState;
	readonly nameProblem: string | undefined;
	readonly onOtherFile: () => void;
	readonly onClose: () => void;
}

/** The settings of an upload: roles of columns, and the dataset's name or what happens to its existing examples. */
export function UploadForm({ file, dataset, upload, nameProblem, onOtherFile, onClose }: UploadFormProps): ReactNode {
	const [columns, setColumns] = useState<Column[]>(() => guessColumns(file.preview));
	const [name, setName] = useState(dataset?.name ?? file.name.replace(/\.\w+$/, ""));
	const [description, setDescription] = useState("");
	const [action, setAction] = useState<UploadAction>(dataset ? "append" : "create");
	const home = useNewHome();
	const isPlaced = dataset !== undefined || home.value !== "";
	const [isTried, setTried] = useState(false);
	const isSending = upload.progress !== undefined;
	const missingName = isTried && name.trim() === "" ? dataTexts.datasets.nameMissing : undefined;
	const hasInput = columns.some(({ role }) => role === "input");
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setTried(true);
		if (name.trim() === "" || !hasInput || isSending || !isPlaced) return;
		upload.start({
			file,
			columns,
			name: name.trim(),
			description: description.trim(),
			action,
			home: dataset ? {} : home.sent,
		});
	};
	return (
		<form onSubmit={submit} className="flex min-h-0 flex-col">
			<div className="flex min-h-0 flex-col gap-4 overflow-auto p-4">
				<p className="flex min-w-0 items-center gap-2">
					<span className="truncate font-medium">{file.name}</span>
					<span className="shrink-0 text-muted">{formatBytes(file.content.size)}</span>
					<button
						type="button"
						className="shrink-0 text-accent hover:underline disabled:opacity-50"
						disabled={isSending}
						onClick={onOtherFile}
					>
						{TEXTS.other}
					</button>
				</p>
				{dataset ? (
					<ActionChoice action={action} onChange={setAction} />
				) : (
					<div className="grid gap-3 sm:grid-cols-2">
						<Field label={TEXTS.name} error={missingName ?? nameProblem}>
							<Input
								value={name}
								maxLength={1_000}
								aria-invalid={(missingName ?? nameProblem) !== undefined}
								onChange={(event) => {
									setName(event.target.value);
									upload.forget();
								}}
							/>
						</Field>
						<Field label={TEXTS.description}>
							<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
						</Field>
						<HomeField home={home} />
					</div>
				)}
				<ColumnTable
					columns={columns}
					first={file.preview.rows[0] ?? []}
					onChange={(column, change) => setColumns((before) => changeColumn(before, column, change))}
				/>
				{!hasInput && (
					<p role="alert" className="text-danger">
						{TEXTS.noInput}
					</p>
				)}
				<PreviewTable preview={file.preview} columns={columns} />
				<FormError error={nameProblem === undefined || dataset ? upload.error : null} />
			</div>
			<div className="flex shrink-0 items-center gap-3 border-line border-t px-4 py-3">
				<SendState upload={upload} />
				<div className="ml-auto flex gap-2">
					{isSending ? (
						<Button onClick={upload.stop}>{TEXTS.stop}</Button>
					) : (
						<Button onClick={onClose}>{texts.action.cancel}</Button>
					)}
					<Button type="submit" look="primary" disabled={isSending || !hasInput || !isPlaced}>
						{TEXTS.send}
					</Button>
				</div>
			</div>
		</form>
	);
}

function SendState({ upload }: { upload: UploadState }): ReactNode {
	const { progress, stopped } = upload;
	const percent = Math.floor((progress ?? 0) * 100);
	return (
		<div role="status" className="flex min-w-0 flex-1 items-center gap-3 text-muted">
			{progress !== undefined && (
				<>
					<progress max={100} value={percent} aria-label={TEXTS.send} className="h-1.5 w-40 max-w-full accent-accent" />
					{percent < 100 ? TEXTS.sending(percent) : TEXTS.storing}
				</>
			)}
			{stopped && TEXTS.stopped[stopped]}
		</div>
	);
}

const ACTIONS = [
	{ value: "append", label: TEXTS.append, hint: TEXTS.appendHint },
	{ value: "update", label: TEXTS.update, hint: TEXTS.updateHint },
] as const;

function ActionChoice({
	action,
	onChange,
}: {
	action: UploadAction;
	onChange: (action: UploadAction) => void;
}): ReactNode {
	return (
		<fieldset className="flex flex-col gap-1.5">
			<legend className="mb-1 text-muted text-sm">{TEXTS.action}</legend>
			{ACTIONS.map(({ value, label, hint }) => (
				<label key={value} className="flex items-baseline gap-2">
					<input type="radio" name="action" checked={action === value} onChange={() => onChange(value)} />
					<span>
						{label} <span className="text-muted">{hint}</span>
					</span>
				</label>
			))}
		</fieldset>
	);
}
