import { z } from "zod";
import { wireTime } from "#http/wire-times.ts";

const MAX_KEY_LENGTH = 255;
const MAX_VALUE_BYTES = 65_536;
/** Secrets of one request, and of one installation. */
export const MAX_SECRETS = 1_000;

export const SecretKey = z
	.string()
	.max(MAX_KEY_LENGTH)
	.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "A key has letters, digits and underscores, and begins with no digit");

const SecretValue = z
	.string()
	.trim()
	.min(1, "A value is not empty; null deletes")
	.refine((value) => Buffer.byteLength(value) <= MAX_VALUE_BYTES, `A value has at most ${MAX_VALUE_BYTES} bytes`)
	.refine((value) => value.isWellFormed(), "A value has no half surrogates")
	.nullable();

export const UpdateSecretsBody = z
	.object({
		secrets: z
			.array(z.object({ key: SecretKey, value: SecretValue }))
			.min(1)
			.max(MAX_SECRETS),
	})
	.meta({ id: "UpdateSecretsBody" });

export const UpdatedSecrets = z.object({ upserted_keys: z.array(z.string()), deleted_keys: z.array(z.string()) });

/** A secret without its value. */
export const Secret = z
	.object({
		key: z.string(),
		created_at: wireTime,
		updated_at: wireTime,
		updated_by: z.object({ id: z.string(), username: z.string() }).optional(),
	})
	.meta({ id: "Secret" });

export const SecretWithValue = Secret.extend({ value: z.string() }).meta({ id: "SecretWithValue" });
