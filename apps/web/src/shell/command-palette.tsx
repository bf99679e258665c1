import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Dialog } from "../ui/dialog.tsx";

export function CommandPalette({ onClose }: { onClose: () => void }): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={texts.command.title} hideTitle>
			<p className="p-4 text-muted">{texts.command.hint}</p>
		</Dialog>
	);
}
