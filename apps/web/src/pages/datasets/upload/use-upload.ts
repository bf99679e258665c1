import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { invalidateExamples } from "../invalidate-examples.ts";
import { sendUpload, type Upload, type UploadResult } from "./send-upload.ts";

export interface UploadState {
	/** Share of the file that has been sent, 0–1; undefined while no upload is running. */
	readonly progress: number | undefined;
	readonly result: UploadResult | undefined;
	readonly error: Error | null;
	/** The phase in which the user stopped the upload; undefined if they did not. */
	readonly stopped: "sending" | "storing" | undefined;
	readonly start: (upload: Upload) => void;
	readonly stop: () => void;
	/** Resets the result of the last try. */
	readonly forget: () => void;
}

/** Runs one upload at a time; unmounting aborts it. */
export function useUpload(): UploadState {
	const queries = useQueryClient();
	const running = useRef<AbortController>(undefined);
	const [progress, setProgress] = useState<number>();
	const [result, setResult] = useState<UploadResult>();
	const [error, setError] = useState<Error | null>(null);
	const [stopped, setStopped] = useState<"sending" | "storing">();
	useEffect(() => () => running.current?.abort(), []);

	const forget = () => {
		setError(null);
		setStopped(undefined);
	};
	const run = async (upload: Upload) => {
		const controller = new AbortController();
		running.current = controller;
		forget();
		let sent = 0;
		setProgress(sent);
		try {
			const onProgress = (share: number) => {
				sent = share;
				setProgress(share);
			};
			const done = await sendUpload(upload, onProgress, controller.signal);
			await invalidateExamples(queries, done.dataset_id);
			setResult(done);
		} catch (thrown) {
			if (controller.signal.aborted) setStopped(sent < 1 ? "sending" : "storing");
			else if (thrown instanceof Error) setError(thrown);
			else throw thrown;
		} finally {
			setProgress(undefined);
		}
	};
	return {
		progress,
		result,
		error,
		stopped,
		start: (upload) => void run(upload),
		stop: () => running.current?.abort(),
		forget,
	};
}
