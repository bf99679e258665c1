import type { ReactNode } from "react";
import { texts } from "../../../texts/en.ts";
import { SectionPage } from "../section-page.tsx";

export function PricesPage(): ReactNode {
	return <SectionPage title={texts.settings.prices}>{null}</SectionPage>;
}
