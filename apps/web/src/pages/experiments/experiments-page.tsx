import type { ReactNode } from "react";

export function ExperimentsPage(): ReactNode {
	return null;
}
