import { useMutation } from "@tanstack/react-query";
import FileDown from "lucide-react/icons/file-down";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { texts } from "../../texts/en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { type Question, questionParameters, questionPath } from "./question.ts";

const TEXTS = analyticsTexts.explore;

/** Saves the table of the answer as CSV. */
export function DownloadCsv({ question }: { question: Question }): ReactNode {
	const download = useMutation({
		mutationFn: async () => {
			const address = `${questionPath(question)}?${new URLSearchParams(questionParameters(question))}`;
			const response = await api.fetch(address, { headers: { accept: "text/csv" } });
			return await response.blob();
		},
		onSuccess: (blob) => {
			const link = document.createElement("a");
			link.href = URL.createObjectURL(blob);
			link.download = `${question.query.of}.csv`;
			link.click();
			URL.revokeObjectURL(link.href);
		},
	});
	return (
		<>
			<IconButton label={TEXTS.csv} disabled={download.isPending} onClick={() => download.mutate()}>
				<FileDown size={14} aria-hidden />
			</IconButton>
			{download.error && (
				<Dialog open onOpenChange={() => download.reset()} title={TEXTS.csvFailed}>
					<div className="flex flex-col gap-3 p-4">
						<FormError error={download.error} />
						<Button className="self-end" onClick={() => download.reset()}>
							{texts.action.close}
						</Button>
					</div>
				</Dialog>
			)}
		</>
	);
}
