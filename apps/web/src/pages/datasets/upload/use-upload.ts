import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { invalidateExamples } from "../invalidate-examples.ts";
import { sendUpload, type Upload, type UploadResult } from "./send-upload.ts";

export interface UploadState {
	/** Share of the file that has been sent; undefined while nothing is on its way. */
	readonly progress: number | undefined;
	readonly result: UploadResult | undefined;
	readonly error: Error | null;
	/** It was stopped by the person. */
	readonly isStopped: boolean;
	readonly start: (upload: Upload) => void;
	readonly stop: () => void;
	/** Forgets how the last try ended. */
	readonly forget: () => void;
}

/** One upload after the other; one that is on its way ends with the component. */
export function useUpload(): UploadState {
	const queries = useQueryClient();
	const running = useRef<AbortController>(undefined);
	const [progress, setProgress] = useState<number>();
	const [result, setResult] = useState<UploadResult>();
	const [error, setError] = useState<Error | null>(null);
	const [isStopped, setStopped] = useState(false);
	useEffect(() => () => running.current?.abort(), []);

	const forget = () => {
		setError(null);
		setStopped(false);
	};
	const run = async (upload: Upload) => {
		const controller = new AbortController();
		running.current = controller;
		forget();
		setProgress(0);
		try {
			const done = await sendUpload(upload, setProgress, controller.signal);
			await invalidateExamples(queries, done.dataset_id);
			setResult(done);
		} catch (thrown) {
			if (controller.signal.aborted) setStopped(true);
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
		isStopped,
		start: (upload) => void run(upload),
		stop: () => running.current?.abort(),
		forget,
	};
}
