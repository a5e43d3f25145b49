//! Verifies the JSON Web Token with which an App authenticates.

use super::actor::Actor;
use super::state::State;
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::Value;

/// Maximum lifetime of a token, in seconds.
const MAX_TOKEN_LIFETIME_SECONDS: i64 = 600;

/// Returns the App of a token, or the reason why the token is invalid.
pub(super) fn verify_app_token(state: &State, token: &str) -> Result<Actor, &'static str> {
    let undecodable = "A JSON web token could not be decoded";
    let (signed, signature) = token.rsplit_once('.').ok_or(undecodable)?;
    let (header, claims) = signed.split_once('.').ok_or(undecodable)?;
    let (header, claims) =
        (decode_json(header).ok_or(undecodable)?, decode_json(claims).ok_or(undecodable)?);
    let issuer = &claims["iss"];
    let id = issuer.as_u64().or_else(|| issuer.as_str()?.parse().ok()).ok_or(undecodable)?;
    let app = state.apps.get(&id).ok_or("Integration not found")?;
    let signature = BASE64.decode(signature).map_err(|_| undecodable)?;
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &app.public_key);
    let is_ours = header["alg"] == "RS256" && key.verify(signed.as_bytes(), &signature).is_ok();
    if !is_ours {
        return Err(undecodable);
    }
    check_validity(&claims, jiff::Timestamp::now().as_second())?;
    Ok(Actor::App(id))
}

fn check_validity(claims: &Value, now: i64) -> Result<(), &'static str> {
    let issued_at = claims["iat"].as_i64().ok_or("Missing 'issued at' claim ('iat')")?;
    let expires_at = claims["exp"].as_i64().ok_or("Missing 'expiration time' claim ('exp')")?;
    if issued_at > now {
        return Err("'Issued at' claim ('iat') must be an Integer representing the time that the \
                    assertion was issued");
    }
    if expires_at <= now {
        return Err(
            "'Expiration time' claim ('exp') must be a numeric value representing the future \
                    time at which the assertion expires",
        );
    }
    if expires_at > now + MAX_TOKEN_LIFETIME_SECONDS {
        return Err("'Expiration time' claim ('exp') is too far in the future");
    }
    Ok(())
}

fn decode_json(part: &str) -> Option<Value> {
    serde_json::from_slice(&BASE64.decode(part).ok()?).ok()
}
