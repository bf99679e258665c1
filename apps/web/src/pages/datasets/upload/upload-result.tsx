import { Link } from "@tanstack/react-router";
import CircleCheck from "lucide-react/icons/circle-check";
import type { ReactNode } from "react";
import { dataTexts } from "../../../texts/data-en.ts";
import { Button } from "../../../ui/button.tsx";
import { buttonClass } from "../../../ui/button-class.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import type { UploadResult as Result } from "./send-upload.ts";

const TEXTS = dataTexts.upload;

/** The counts of what the upload changed. */
export function UploadResult({
	result,
	isOpen,
	onClose,
}: {
	result: Result;
	/** Whether the page shows the dataset already. */
	isOpen: boolean;
	onClose: () => void;
}): ReactNode {
	const { num_created_examples: created, num_updated_examples: updated, num_deleted_examples: deleted } = result;
	const counts = [
		...(created > 0 ? [TEXTS.created(created)] : []),
		...(updated > 0 ? [TEXTS.updated(updated)] : []),
		...(deleted > 0 ? [TEXTS.deleted(deleted)] : []),
	];
	return (
		<div role="status">
			<EmptyState
				icon={<CircleCheck size={24} aria-hidden className="text-ok" />}
				title={TEXTS.done}
				text={counts.length > 0 ? counts.join(", ") : TEXTS.unchanged}
				actions={
					isOpen ? (
						<Button look="primary" onClick={onClose}>
							{TEXTS.close}
						</Button>
					) : (
						<Link
							to="/datasets/$dataset/examples"
							params={{ dataset: result.dataset_id }}
							onClick={onClose}
							className={buttonClass("primary")}
						>
							{TEXTS.open}
						</Link>
					)
				}
			/>
		</div>
	);
}
