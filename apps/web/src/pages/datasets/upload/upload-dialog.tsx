import { ApiError } from "@spanward/client";
import { type ReactNode, useState } from "react";
import { dataTexts } from "../../../texts/data-en.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FileDrop } from "./file-drop.tsx";
import type { ReadFile } from "./read-file.ts";
import { UploadForm } from "./upload-form.tsx";
import { UploadResult } from "./upload-result.tsx";
import { useUpload } from "./use-upload.ts";

const TEXTS = dataTexts.upload;

export interface UploadDialogProps {
	/** The dataset to upload to; absent for a new one. */
	readonly dataset?: { readonly id: string; readonly name: string };
	readonly onClose: () => void;
}

/** The steps of an upload: choose a file, assign roles to its columns, send it. */
export function UploadDialog({ dataset, onClose }: UploadDialogProps): ReactNode {
	const [file, setFile] = useState<ReadFile>();
	const upload = useUpload();
	const close = () => {
		upload.stop();
		onClose();
	};
	return (
		<Dialog
			open
			onOpenChange={close}
			title={dataset ? TEXTS.addTitle(dataset.name) : TEXTS.title}
			className="top-[5vh]! max-h-[90vh]! w-[min(56rem,calc(100vw-1rem))]!"
			staysOnPress
		>
			{upload.result ? (
				<UploadResult result={upload.result} isOpen={dataset?.id === upload.result.dataset_id} onClose={close} />
			) : file ? (
				<UploadForm
					key={file.name}
					file={file}
					dataset={dataset}
					upload={upload}
					nameProblem={nameProblem(upload.error)}
					onOtherFile={() => {
						upload.forget();
						setFile(undefined);
					}}
					onClose={close}
				/>
			) : (
				<FileDrop onFile={setFile} />
			)}
		</Dialog>
	);
}

/** The server's error about the name; other errors are about the file or its columns. */
function nameProblem(error: Error | null): string | undefined {
	return error instanceof ApiError && (error.status === 409 || /dataset name/i.test(error.message))
		? error.message
		: undefined;
}
