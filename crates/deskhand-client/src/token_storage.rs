//! Stores tokens: one file per server, in a folder that only its owner can read.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};

use crate::{
    config::ServerConfig,
    error::{Error, Result},
    tool_name,
};

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A folder with tokens.
#[derive(Debug, Clone)]
pub struct TokenStorage {
    folder: PathBuf,
}

impl TokenStorage {
    /// Creates a storage in a folder. The folder is created when the first token is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns `true` if the user is logged in to a server.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or another user can read or change it.
    pub fn is_logged_in(&self, server: &ServerConfig) -> Result<bool> {
        let file = self.tokens(server).read()?;
        Ok(file.is_some_and(|file| file.credentials.token_response.is_some()))
    }

    /// Deletes the tokens of a server; returns `true` if there were any.
    ///
    /// # Errors
    ///
    /// If the file cannot be deleted.
    pub fn delete(&self, server: &ServerConfig) -> Result<bool> {
        let tokens = self.tokens(server);
        match fs::remove_file(&tokens.file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(tokens.error(&error)),
        }
    }

    /// Returns the path of the file with a server's tokens.
    pub fn path(&self, server: &ServerConfig) -> PathBuf {
        // The URL is part of the name: if it changes, the tokens are not sent to the new one.
        let hash = tool_name::short_hash(&format!("{}\n{}", server.name, server.url));
        self.folder.join(format!("{}-{hash}.json", tool_name::default_prefix(&server.name)))
    }

    pub(crate) fn tokens(&self, server: &ServerConfig) -> ServerTokens {
        ServerTokens { file: self.path(server), secret: None }
    }
}

/// The tokens of one server.
#[derive(Debug, Clone)]
pub(crate) struct ServerTokens {
    file: PathBuf,
    /// The client secret to store with new tokens.
    secret: Option<String>,
}

/// The contents of a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct TokenFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<String>,
    pub(crate) credentials: StoredCredentials,
}

impl ServerTokens {
    /// Sets the client secret.
    pub(crate) fn with_secret(self, secret: Option<String>) -> Self {
        Self { secret, ..self }
    }

    /// Reads the file; returns `None` if it does not exist or is no token file.
    pub(crate) fn read(&self) -> Result<Option<TokenFile>> {
        let open = OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&self.file);
        let file = match open {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.error(&error))?,
        };
        let metadata = file.metadata().map_err(|error| self.error(&error))?;
        let own = rustix::process::geteuid().as_raw();
        if metadata.uid() != own || metadata.mode() & 0o077 != 0 || metadata.len() > MAX_BYTES {
            let reason = "other users can access it, or it is too large".to_owned();
            return Err(Error::Storage { file: self.file.display().to_string(), reason });
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| self.error(&error))?;
        // A file of another format means that the user must log in again.
        Ok(serde_json::from_str(&text).ok())
    }

    fn write(&self, credentials: StoredCredentials) -> std::io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let contents = TokenFile { client_secret: self.secret.clone(), credentials };
        // tempfile creates files with mode 0600. The rename is atomic, so readers never see a partial file.
        let mut new_file = tempfile::NamedTempFile::new_in(folder)?;
        new_file.write_all(&serde_json::to_vec_pretty(&contents)?)?;
        new_file.as_file().sync_all()?;
        new_file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }

    fn error(&self, error: &std::io::Error) -> Error {
        Error::Storage { file: self.file.display().to_string(), reason: error.to_string() }
    }
}

#[async_trait]
impl CredentialStore for ServerTokens {
    async fn load(&self) -> std::result::Result<Option<StoredCredentials>, AuthError> {
        let file = self.read().map_err(|error| store_error(&error))?;
        Ok(file.map(|file| file.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> std::result::Result<(), AuthError> {
        self.write(credentials).map_err(|error| store_error(&self.error(&error)))
    }

    async fn clear(&self) -> std::result::Result<(), AuthError> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(store_error(&self.error(&error)))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    async fn on_refresh_token_rejected(
        &self,
        credentials: &StoredCredentials,
    ) -> std::result::Result<(), AuthError> {
        let is_same = |stored: &StoredCredentials| {
            serde_json::to_value(stored).ok() == serde_json::to_value(credentials).ok()
        };
        // Another process may have stored newer tokens.
        let stored = self.load().await?;
        if stored.is_some_and(|stored| is_same(&stored)) { self.clear().await } else { Ok(()) }
    }

    async fn acquire_refresh_guard(
        &self,
    ) -> std::result::Result<Option<CredentialRefreshGuard>, AuthError> {
        let path = self.file.with_extension("lock");
        let locked = tokio::task::spawn_blocking(move || -> std::io::Result<File> {
            let mut options = OpenOptions::new();
            let file = options.create(true).truncate(false).write(true).mode(0o600).open(path)?;
            file.lock()?;
            Ok(file)
        });
        let file = locked.await.map_err(|error| AuthError::CredentialStoreError(error.to_string()));
        let file = file?.map_err(|error| store_error(&self.error(&error)))?;
        Ok(Some(CredentialRefreshGuard::new(file)))
    }
}

fn store_error(error: &Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}
