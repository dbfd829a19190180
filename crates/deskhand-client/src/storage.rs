//! Where tokens are kept: a file a server, in a folder nobody else can read.

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
    config::Server,
    error::{Error, Result},
    name,
};

/// A file so long is none of ours.
const LONGEST: u64 = 1 << 20;

/// The folder tokens are kept in.
#[derive(Debug, Clone)]
pub struct Storage {
    folder: PathBuf,
}

impl Storage {
    /// Keeps tokens below this folder, which is made when the first is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Whether somebody has logged in to a server.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or others can change it.
    pub fn has(&self, server: &Server) -> Result<bool> {
        Ok(self.of(server).read()?.is_some_and(|kept| kept.credentials.token_response.is_some()))
    }

    /// Forgets a login; says whether there was one.
    ///
    /// # Errors
    ///
    /// When the file cannot be removed.
    pub fn forget(&self, server: &Server) -> Result<bool> {
        let kept = self.of(server);
        match fs::remove_file(&kept.file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(kept.failed(&error)),
        }
    }

    /// The file a server's tokens are in.
    pub fn file(&self, server: &Server) -> PathBuf {
        // The address is part of the name: tokens for one server never go to another.
        let mark = name::mark(&format!("{}\n{}", server.name, server.url));
        self.folder.join(format!("{}-{mark}.json", name::prefix(&server.name)))
    }

    pub(crate) fn of(&self, server: &Server) -> Kept {
        Kept { file: self.file(server), secret: None }
    }
}

/// The tokens of one server.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    file: PathBuf,
    /// A secret the authorization server gave with the client id.
    secret: Option<String>,
}

/// What the file holds.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sheet {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_secret: Option<String>,
    pub(crate) credentials: StoredCredentials,
}

impl Kept {
    /// The same with a client secret.
    pub(crate) fn with(self, secret: Option<String>) -> Self {
        Self { secret, ..self }
    }

    /// What is kept, when something is.
    pub(crate) fn read(&self) -> Result<Option<Sheet>> {
        let open = OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&self.file);
        let file = match open {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| self.failed(&error))?,
        };
        let found = file.metadata().map_err(|error| self.failed(&error))?;
        let own = rustix::process::geteuid().as_raw();
        if found.uid() != own || found.mode() & 0o077 != 0 || found.len() > LONGEST {
            let why = "it does not belong to you alone".to_owned();
            return Err(Error::Storage { file: self.file.display().to_string(), why });
        }
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(|error| self.failed(&error))?;
        // What is no sheet of ours is nothing to log in with.
        Ok(serde_json::from_str(&text).ok())
    }

    fn write(&self, credentials: StoredCredentials) -> std::io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let sheet = Sheet { client_secret: self.secret.clone(), credentials };
        // The crate makes files with 0600; a rename keeps readers from half a file.
        let mut made = tempfile::NamedTempFile::new_in(folder)?;
        made.write_all(&serde_json::to_vec_pretty(&sheet)?)?;
        made.as_file().sync_all()?;
        made.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        Error::Storage { file: self.file.display().to_string(), why: error.to_string() }
    }
}

#[async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> std::result::Result<Option<StoredCredentials>, AuthError> {
        let kept = self.read().map_err(|error| lost(&error))?;
        Ok(kept.map(|sheet| sheet.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> std::result::Result<(), AuthError> {
        self.write(credentials).map_err(|error| lost(&self.failed(&error)))
    }

    async fn clear(&self) -> std::result::Result<(), AuthError> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(lost(&self.failed(&error))),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    async fn on_refresh_token_rejected(
        &self,
        credentials: &StoredCredentials,
    ) -> std::result::Result<(), AuthError> {
        let same = |now: &StoredCredentials| {
            serde_json::to_value(now).ok() == serde_json::to_value(credentials).ok()
        };
        // Another process may have logged in meanwhile.
        if self.load().await?.is_some_and(|now| same(&now)) { self.clear().await } else { Ok(()) }
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
        let file = file?.map_err(|error| lost(&self.failed(&error)))?;
        Ok(Some(CredentialRefreshGuard::new(file)))
    }
}

fn lost(error: &Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}
