import type { Kysely, Selectable, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import { networkOf } from "../auth/rate-limit.ts";
import { Approval } from "./approval.ts";
import { isClientId } from "./clients.ts";
import { type IssuedTokens, insertGrant } from "./grants.ts";
import { OAuthError } from "./oauth-error.ts";
import { hashToken, mintCode, mintUserCode } from "./tokens.ts";

export const DEVICE_CODE_SECONDS = 600;
export const POLL_SECONDS = 5;
const MAX_PENDING = 1_000;
const MAX_PENDING_OF_ADDRESS = 20;
const MAX_USER_AGENT = 256;

export type DeviceRow = Selectable<Tables["oauth2_device_codes"]>;

interface NewDevice {
	readonly clientId: number;
	readonly scope: string | null;
	readonly audience: "api" | "mcp";
	readonly ip: string;
	readonly userAgent: string;
	readonly now: number;
}

/** @throws UserError 429 when too many codes wait for their users */
export async function insertDevice(
	transaction: Transaction<Tables>,
	device: NewDevice,
): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
	const waiting = await transaction
		.selectFrom("oauth2_device_codes")
		.select("ip")
		.where("state", "=", "pending")
		.where("expires_at", ">", device.now)
		.execute();
	const own = networkOf(device.ip);
	const ownCount = waiting.filter(({ ip }) => networkOf(ip) === own).length;
	if (waiting.length >= MAX_PENDING || ownCount >= MAX_PENDING_OF_ADDRESS) {
		const message = "Too many devices wait for their users; try again later.";
		throw new UserError(429, "too_many_devices", message, { retryAfter: DEVICE_CODE_SECONDS });
	}
	const deviceCode = mintCode();
	const userCode = mintUserCode();
	await transaction
		.insertInto("oauth2_device_codes")
		.values({
			hash: hashToken(deviceCode),
			user_code_hash: hashToken(userCode),
			client_id: device.clientId,
			user_id: null,
			state: "pending",
			scope: device.scope,
			resource: device.audience,
			approved: null,
			interval_seconds: POLL_SECONDS,
			polled_at: null,
			ip: device.ip,
			user_agent: device.userAgent.slice(0, MAX_USER_AGENT),
			created_at: device.now,
			expires_at: device.now + DEVICE_CODE_SECONDS * 1_000_000,
		})
		.execute();
	return { deviceCode, userCode };
}

/** @param userCode its letters only */
export async function findDevice(db: Kysely<Tables>, userCode: string): Promise<DeviceRow | undefined> {
	return await db
		.selectFrom("oauth2_device_codes")
		.selectAll()
		.where("user_code_hash", "=", hashToken(userCode))
		.executeTakeFirst();
}

/** @returns whether it was still to be decided */
export async function decideDevice(
	transaction: Transaction<Tables>,
	id: number,
	{ userId, approval, now }: { readonly userId: number; readonly approval: Approval | undefined; readonly now: number },
): Promise<boolean> {
	const { numUpdatedRows } = await transaction
		.updateTable("oauth2_device_codes")
		.set({
			state: approval === undefined ? "denied" : "approved",
			user_id: userId,
			approved: approval === undefined ? null : JSON.stringify(approval),
		})
		.where("id", "=", id)
		.where("state", "=", "pending")
		.where("expires_at", ">", now)
		.executeTakeFirst();
	return numUpdatedRows === 1n;
}

/** A device asks whether its user has decided (RFC 8628, 3.4 and 3.5). */
export async function redeemDeviceCode(
	db: Database,
	deviceCode: string,
	clientId: string,
	lives: { readonly accessMicros: number; readonly now: number },
): Promise<IssuedTokens | OAuthError> {
	const select = (from: Kysely<Tables>) =>
		from
			.selectFrom("oauth2_device_codes as device")
			.innerJoin("oauth2_clients as client", "client.id", "device.client_id")
			.selectAll("device")
			.select(["client.disabled", "client.device_flow"])
			.where("hash", "=", hashToken(deviceCode))
			.where("client.public_id", "=", clientId)
			.executeTakeFirst();
	const unknown = () =>
		new OAuthError("invalid_grant", "The device code is unknown, was used, or is not for this client_id");
	// What anybody makes up does not wait for the right to write.
	if (!isClientId(clientId) || (await select(db.read)) === undefined) return unknown();
	return await db.write(async (transaction) => {
		const device = await select(transaction);
		if (device === undefined) return unknown();
		if (device.disabled === 1 || device.device_flow === 0) {
			return new OAuthError("unauthorized_client", "An admin has disabled this program");
		}
		if (device.expires_at <= lives.now) return new OAuthError("expired_token", "The code has expired");
		if (device.polled_at !== null && lives.now - device.polled_at < device.interval_seconds * 1_000_000) {
			await transaction
				.updateTable("oauth2_device_codes")
				.set({ polled_at: lives.now, interval_seconds: device.interval_seconds + POLL_SECONDS })
				.where("id", "=", device.id)
				.execute();
			return new OAuthError("slow_down", "Ask less often");
		}
		if (device.state === "denied") return new OAuthError("access_denied", "The user has refused");
		if (device.state === "pending" || device.user_id === null || device.approved === null) {
			await transaction
				.updateTable("oauth2_device_codes")
				.set({ polled_at: lives.now })
				.where("id", "=", device.id)
				.execute();
			return new OAuthError("authorization_pending", "The user has not decided yet");
		}
		const { numDeletedRows } = await transaction
			.deleteFrom("oauth2_device_codes")
			.where("id", "=", device.id)
			.executeTakeFirst();
		if (numDeletedRows !== 1n) return new OAuthError("invalid_grant", "The device code was used");
		const approval = Approval.parse(JSON.parse(device.approved));
		return await insertGrant(transaction, { userId: device.user_id, clientId: device.client_id, approval }, lives);
	});
}
