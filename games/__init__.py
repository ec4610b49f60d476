from core import compiled

compiled.use()
